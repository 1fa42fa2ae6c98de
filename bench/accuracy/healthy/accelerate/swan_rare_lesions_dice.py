# fault: none
# family: accelerate
# split: held
# needs: accelerate
"""Small bright lesions (about 2 % of pixels) with weighted BCE + soft Dice, accumulation over 4 micro batches."""
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset

SEED = int(os.environ.get("SEED", "0"))
set_seed(SEED)


def scans(n, s=24):
    yy, xx = torch.meshgrid(torch.arange(s).float(), torch.arange(s).float(), indexing="ij")
    c = torch.rand(n, 2) * (s - 6) + 3
    r = 1.2 + 1.0 * torch.rand(n)
    d = (yy - c[:, :1, None]) ** 2 + (xx - c[:, 1:, None]) ** 2
    m = (d < r[:, None, None] ** 2).float()
    noise = F.avg_pool2d(torch.randn(n, 1, s + 2, s + 2), 3, 1)[:, 0]
    x = 1.5 * noise + 1.5 * m + 0.3 * torch.randn(n, s, s)
    return TensorDataset(((x - x.mean()) / x.std())[:, None], m[:, None])


class DiceBCE(nn.Module):
    def __init__(self, pos_weight):
        super().__init__()
        self.register_buffer("pw", torch.tensor(pos_weight))

    def forward(self, logits, mask):
        bce = F.binary_cross_entropy_with_logits(logits, mask, pos_weight=self.pw)
        p = logits.sigmoid()
        num = 2 * (p * mask).sum((1, 2, 3)) + 1
        den = (p + mask).sum((1, 2, 3)) + 1
        return bce + (1 - num / den).mean()


class Net(nn.Sequential):
    def __init__(self, w=12):
        def c(i, o, d=1):
            return [nn.Conv2d(i, o, 3, padding=d, dilation=d), nn.GroupNorm(4, o), nn.SiLU()]
        super().__init__(*c(1, w), *c(w, w, 2), *c(w, w, 2), nn.Conv2d(w, 1, 1))
        nn.init.constant_(self[-1].bias, -2.0)  # lesions are rare


acc = Accelerator(cpu=True, gradient_accumulation_steps=4)
train = DataLoader(scans(640), batch_size=8, shuffle=True)
val = DataLoader(scans(96), batch_size=96)
net = Net()
opt = torch.optim.AdamW(net.parameters(), lr=5e-3)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 1e-2, total_steps=20 * 6 + 10)
net, opt, train, val, sched = acc.prepare(net, opt, train, val, sched)
criterion = DiceBCE(5.0)
for epoch in range(6):
    net.train()
    tot = 0.0
    for x, m in train:
        with acc.accumulate(net):
            loss = criterion(net(x), m)
            acc.backward(loss)
            if acc.sync_gradients:
                acc.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
            sched.step()
            opt.zero_grad()
        tot += loss.item() / len(train)
    net.eval()
    with torch.no_grad():
        x, m = next(iter(val))
        p = net(x) > 0
        iou = ((p & (m > 0)).sum() / (p | (m > 0)).sum()).item()
    acc.print(f"epoch {epoch} loss {tot:.4f} val iou {iou:.3f} lr {sched.get_last_lr()[0]:.1e}")
