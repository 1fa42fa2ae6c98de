# fault: none
# family: detection
# split: held
"""Centre-point detector for buoys on a 24x24 sonar tile (heat map + offset), focal loss as in CenterNet."""
import math
import os

import numpy as np
import torch
from torch import nn
import torch.nn.functional as F

RNG = np.random.default_rng(int(os.environ.get("SEED", 0)))
torch.manual_seed(int(os.environ.get("SEED", 0)))


def tiles(n, S=24):
    x = RNG.normal(0, 0.25, (n, 1, S, S))
    heat = np.zeros((n, 1, S // 2, S // 2))
    off = np.zeros((n, 2, S // 2, S // 2))
    yy, xx = np.mgrid[:S, :S]
    hy, hx = np.mgrid[:S // 2, :S // 2]
    for i in range(n):
        for _ in range(RNG.integers(1, 4)):
            cy, cx = RNG.uniform(3, S - 3, 2)
            x[i, 0] += 1.2 * np.exp(-((yy - cy) ** 2 + (xx - cx) ** 2) / 3)
            x[i, 0] -= 0.5 * np.exp(-((yy - cy - 3) ** 2 + (xx - cx) ** 2) / 2)     # shadow
            iy, ix = int(cy // 2), int(cx // 2)
            heat[i, 0] = np.maximum(heat[i, 0], np.exp(-((hy - iy) ** 2 + (hx - ix) ** 2) / 1.0))
            heat[i, 0, iy, ix] = 1
            off[i, :, iy, ix] = cy / 2 - iy, cx / 2 - ix
    f = lambda a: torch.tensor(a, dtype=torch.float32)
    return f(x), f(heat), f(off)


class Detector(nn.Module):
    def __init__(self, c=16, prior=0.01):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, c, 3, padding=1), nn.ReLU(),
            nn.Conv2d(c, c, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(c, c, 3, padding=1), nn.ReLU())
        self.heat = nn.Conv2d(c, 1, 1)
        self.off = nn.Conv2d(c, 2, 1)
        bias = -math.log((1 - prior) / prior)
        for m in self.body:
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, nonlinearity="relu")
                nn.init.zeros_(m.bias)
        nn.init.constant_(self.heat.bias, bias)

    def forward(self, x):
        h = self.body(x)
        return self.heat(h), self.off(h)


def focal(z, t, a=2.0, b=4.0):
    p = torch.sigmoid(z).clamp(1e-4, 1 - 1e-4)
    pos = t.eq(1).float()
    l = -pos * (1 - p) ** a * p.log() - (1 - pos) * (1 - t) ** b * p ** a * (1 - p).log()
    return l.sum() / pos.sum().clamp(min=1)


def f1(z, t, thr=0.35):
    p = torch.sigmoid(z)
    peak = (p == F.max_pool2d(p, 3, 1, 1)) & (p > thr)
    near = F.max_pool2d(t.eq(1).float(), 3, 1, 1).bool()
    tp = (peak & near).sum().item()
    return 2 * tp / max(peak.sum().item() + t.eq(1).sum().item(), 1)


xt, ht, ot = tiles(400)
xv, hv, ov = tiles(80)
net = Detector()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(12):
    net.train()
    for i in torch.randperm(400).split(20):
        z, o = net(xt[i])
        at = ht[i].eq(1).float()
        loss = focal(z, ht[i]) + 0.5 * ((o - ot[i]).abs() * at).sum() / at.sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        z, o = net(xv)
        print(f"epoch {epoch:2d}  loss {loss.item():.3f}  val heat {focal(z, hv).item():.3f}  F1 {f1(z, hv):.3f}")
