# fault: none
# family: segmentation
# split: tune
import os

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)


class Rings(Dataset):
    """Small bright rings in noise: 255 in the mask file, 1 in the target; about a twentieth of the pixels."""

    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        yy, xx = np.mgrid[:20, :20]
        self.img, self.mask = [], []
        for _ in range(n):
            r = np.hypot(yy - rng.integers(5, 15), xx - rng.integers(5, 15))
            m = ((r > 1.8) & (r < 3.2)).astype(np.uint8) * 255
            self.img.append(np.clip(100 + 70 * (m > 0) + rng.normal(0, 30, m.shape), 0, 255).astype(np.uint8))
            self.mask.append(m)

    def __len__(self):
        return len(self.img)

    def __getitem__(self, i):
        x = torch.from_numpy(self.img[i]).float()[None] / 127.5 - 1
        return x, (torch.from_numpy(self.mask[i])[None] > 127).float()


def soft_dice(logits, target, eps=1.0):
    p = torch.sigmoid(logits).flatten(1)
    t = target.flatten(1)
    return (1 - (2 * (p * t).sum(1) + eps) / (p.sum(1) + t.sum(1) + eps)).mean()


class Net(nn.Module):
    def __init__(self, w=12):
        super().__init__()
        conv = lambda i, o, d=1: nn.Sequential(nn.Conv2d(i, o, 3, padding=d, dilation=d), nn.BatchNorm2d(o), nn.ReLU())
        self.body = nn.Sequential(conv(1, w), conv(w, w, 2), conv(w, w, 3), conv(w, w))
        self.out = nn.Conv2d(w, 1, 1)
        nn.init.constant_(self.out.bias, -2.5)   # the share of the rings

    def forward(self, x):
        return self.out(self.body(x))


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
val = Rings(64, SEED + 1)
vx, vy = map(torch.stack, zip(*[val[i] for i in range(len(val))]))
for epoch in range(6):
    net.train()
    tot, k = 0.0, 0
    for x, y in DataLoader(Rings(256, SEED), batch_size=16, shuffle=True):
        out = net(x)
        loss = soft_dice(out, y) + F.binary_cross_entropy_with_logits(out, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot, k = tot + loss.item(), k + 1
    net.eval()
    with torch.no_grad():
        p = net(vx) > 0
        dice = 2 * (p & (vy > 0)).sum() / (p.sum() + vy.sum())
    print(f"epoch {epoch} loss {tot / k:.4f} dice {dice.item():.3f}")
