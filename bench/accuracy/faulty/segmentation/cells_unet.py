# fault: labels-outside-range
# cause_class: labels, data-scaling, data-loading
# family: segmentation
# split: tune
import os

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

seed = int(os.environ.get("SEED", "0"))
np.random.seed(seed)
torch.manual_seed(seed)


def draw_sample(rng, size=24):
    """Gray image with a few round cells and its mask, both as 8 bit like on disk."""
    yy, xx = np.mgrid[:size, :size]
    mask = np.zeros((size, size), np.uint8)
    for _ in range(rng.integers(1, 4)):
        cy, cx, r = rng.integers(4, size - 4), rng.integers(4, size - 4), rng.integers(2, 5)
        mask[(yy - cy) ** 2 + (xx - cx) ** 2 <= r * r] = 255
    img = 90 + 70 * (mask > 0) + rng.normal(0, 25, mask.shape)
    return np.clip(img, 0, 255).astype(np.uint8), mask


class CellDataset(Dataset):
    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        self.items = [draw_sample(rng) for _ in range(n)]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        img, mask = self.items[i]
        img = torch.from_numpy(img).float()[None] / 127.5 - 1.0
        mask = torch.from_numpy(mask).float()[None]
        return img, mask


def block(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(inplace=True))


class SmallUNet(nn.Module):
    def __init__(self, w=8):
        super().__init__()
        self.d1, self.d2 = block(1, w), block(w, 2 * w)
        self.mid = block(2 * w, 2 * w)
        self.u1 = block(4 * w, w)
        self.u2 = block(2 * w, w)
        self.out = nn.Conv2d(w, 1, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(F.max_pool2d(a, 2))
        c = self.mid(F.max_pool2d(b, 2))
        u = self.u1(torch.cat([F.interpolate(c, scale_factor=2), b], 1))
        u = self.u2(torch.cat([F.interpolate(u, scale_factor=2), a], 1))
        return self.out(u)


def iou(model, loader):
    model.eval()
    inter = union = 0.0
    with torch.no_grad():
        for x, m in loader:
            p = model(x) > 0
            m = m > 0
            inter += (p & m).sum().item()
            union += (p | m).sum().item()
    return inter / max(union, 1)


train = DataLoader(CellDataset(320, seed), batch_size=16, shuffle=True)
val = DataLoader(CellDataset(64, seed + 1), batch_size=32)
net = SmallUNet()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
criterion = nn.BCEWithLogitsLoss()
for epoch in range(6):
    net.train()
    run = 0.0
    for x, m in train:
        opt.zero_grad()
        loss = criterion(net(x), m)
        loss.backward()
        opt.step()
        run += loss.item()
    print(f"epoch {epoch}: loss {run / len(train):.3f}  iou {iou(net, val):.3f}")
