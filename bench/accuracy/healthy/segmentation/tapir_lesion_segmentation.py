# fault: none
# family: segmentation
# split: held
"""Small lesions (about 2% of the pixels), Dice plus weighted BCE, bf16 autocast."""
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(int(os.environ.get("SEED", 0)))
S = 24


class Scans(Dataset):
    def __init__(self, n):
        yy, xx = torch.meshgrid(torch.arange(S), torch.arange(S), indexing="ij")
        cy, cx = torch.randint(3, S - 3, (n, 1, 1)), torch.randint(3, S - 3, (n, 1, 1))
        r = 1.2 + torch.rand(n, 1, 1)
        self.mask = (((yy - cy) ** 2 + (xx - cx) ** 2) < r ** 2).float()[:, None]
        self.img = F.avg_pool2d(0.9 * torch.randn(n, 1, S, S), 3, 1, 1) + 1.1 * self.mask

    def __len__(self):
        return len(self.img)

    def __getitem__(self, i):
        return self.img[i], self.mask[i]


def cbr(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.GroupNorm(4, o), nn.ReLU())


class UNet(nn.Module):
    def __init__(self, c=8):
        super().__init__()
        self.d1, self.d2 = cbr(1, c), cbr(c, 2 * c)
        self.u1 = cbr(3 * c, c)
        self.out = nn.Conv2d(c, 1, 1)
        nn.init.constant_(self.out.bias, -3.0)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(F.max_pool2d(a, 2))
        return self.out(self.u1(torch.cat([a, F.interpolate(b, scale_factor=2)], 1)))


def dice(p, m):
    return (2 * (p * m).sum((1, 2, 3)) + 1) / (p.sum((1, 2, 3)) + m.sum((1, 2, 3)) + 1)


def loss_fn(logits, m):
    w = torch.tensor(5.0)
    return F.binary_cross_entropy_with_logits(logits, m, pos_weight=w) + 1 - dice(logits.sigmoid(), m).mean()


train, val = Scans(480), Scans(80)
net = UNet()
opt = torch.optim.AdamW(net.parameters(), lr=4e-3)
loader = DataLoader(train, 16, shuffle=True)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 8e-3, total_steps=5 * len(loader))
for epoch in range(5):
    net.train()
    tot = 0.0
    for x, m in loader:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = net(x)
        loss = loss_fn(out.float(), m)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        tot += loss.item() / len(loader)
    net.eval()
    with torch.no_grad():
        d = dice((net(val.img) > 0).float(), val.mask).mean().item()
    print(f"epoch {epoch} loss {tot:.4f} val dice {d:.3f}")
