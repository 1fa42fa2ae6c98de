# fault: none
# family: segmentation
# split: held
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Cells(Dataset):
    def __init__(self, n, s=20):
        yy, xx = torch.meshgrid(torch.arange(s), torch.arange(s), indexing="ij")
        self.m = torch.zeros(n, s, s)
        for _ in range(2):
            c = torch.randint(4, s - 4, (2, n, 1, 1))
            r = 2 + 2 * torch.rand(n, 1, 1)
            self.m = torch.maximum(self.m, ((yy - c[0]) ** 2 + (xx - c[1]) ** 2 < r ** 2).float())
        self.x = self.m + 0.6 * torch.randn(n, s, s) - 0.15

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i][None], self.m[i][None]


class DiceBCE(nn.Module):
    def forward(self, logits, t):
        p = logits.sigmoid()
        inter = (p * t).sum((1, 2, 3))
        dice = (2 * inter + 1) / (p.sum((1, 2, 3)) + t.sum((1, 2, 3)) + 1)
        return F.binary_cross_entropy_with_logits(logits, t) + (1 - dice).mean()


net = nn.Sequential(
    nn.Conv2d(1, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU(),
    nn.Conv2d(12, 12, 3, padding=2, dilation=2), nn.BatchNorm2d(12), nn.ReLU(),
    nn.Conv2d(12, 12, 3, padding=4, dilation=4), nn.BatchNorm2d(12), nn.ReLU(),
    nn.Conv2d(12, 1, 1))
crit = DiceBCE()
opt = torch.optim.Adam(net.parameters(), lr=4e-3)
train, val = Cells(400), Cells(80)
sched = torch.optim.lr_scheduler.PolynomialLR(opt, 125, power=0.9)
for epoch in range(5):
    net.train()
    s = 0.0
    for x, m in DataLoader(train, 16, shuffle=True):
        loss = crit(net(x), m)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        s += loss.item() / 25
    net.eval()
    with torch.no_grad():
        p = (net(val.x[:, None]) > 0).float()[:, 0]
        iou = (p * val.m).sum() / ((p + val.m) > 0).sum()
    print(f"epoch {epoch} loss {s:.4f} val iou {iou.item():.3f}")
