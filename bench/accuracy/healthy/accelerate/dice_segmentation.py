# fault: none
# family: accelerate
# split: held
# needs: accelerate
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, Dataset

set_seed(int(os.environ.get("SEED", "0")))


class Blobs(Dataset):
    """small bright discs on noise; about five per cent of the pixels are foreground"""

    def __init__(self, n, s=20):
        a = torch.arange(s).float()
        yy, xx = torch.meshgrid(a, a, indexing="ij")
        c = torch.rand(n, 2, 1, 1) * 12 + 4
        r = torch.rand(n, 1, 1) * 1.0 + 2.0
        self.mask = (((yy - c[:, 0]) ** 2 + (xx - c[:, 1]) ** 2) < r ** 2).float().unsqueeze(1)
        self.img = 1.2 * self.mask + 0.6 * torch.randn(n, 1, s, s)

    def __len__(self):
        return len(self.img)

    def __getitem__(self, i):
        return self.img[i], self.mask[i]


class TinyUNet(nn.Module):
    def __init__(self, c=10):
        super().__init__()
        self.d1, self.d2 = nn.Conv2d(1, c, 3, padding=1), nn.Conv2d(c, 2 * c, 3, padding=1)
        self.u1, self.out = nn.Conv2d(3 * c, c, 3, padding=1), nn.Conv2d(c, 1, 1)

    def forward(self, x):
        a = F.relu(self.d1(x))
        b = F.relu(self.d2(F.max_pool2d(a, 2)))
        b = F.interpolate(b, scale_factor=2, mode="bilinear", align_corners=False)
        return self.out(F.relu(self.u1(torch.cat([a, b], 1))))


def dice_bce(logit, m):
    p = torch.sigmoid(logit)
    dice = 1 - (2 * (p * m).sum((1, 2, 3)) + 1) / (p.sum((1, 2, 3)) + m.sum((1, 2, 3)) + 1)
    return dice.mean() + F.binary_cross_entropy_with_logits(logit, m)


acc = Accelerator(cpu=True, gradient_accumulation_steps=2)
model = TinyUNet()
opt = torch.optim.AdamW(model.parameters(), lr=4e-3)
train, val = DataLoader(Blobs(480), 12, shuffle=True), DataLoader(Blobs(80), 80)
model, opt, train, val = acc.prepare(model, opt, train, val)
for epoch in range(6):
    model.train()
    tot = 0.0
    for img, m in train:
        with acc.accumulate(model):
            loss = dice_bce(model(img), m)
            acc.backward(loss)
            if acc.sync_gradients:
                acc.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            opt.zero_grad()
        tot += loss.item() / len(train)
    model.eval()
    with torch.no_grad():
        img, m = next(iter(val))
        pred = (model(img) > 0).float()
        iou = (pred * m).sum() / ((pred + m) > 0).sum()
    acc.print(f"epoch {epoch} loss {tot:.4f} IoU {iou.item():.3f}")
