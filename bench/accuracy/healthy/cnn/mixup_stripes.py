# fault: none
# family: cnn
# split: tune
# needs: numpy
"""Mixup with soft targets: the training loss stays high while validation goes well."""
import os
import numpy as np
import torch
from torch import nn
import torch.nn.functional as F

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)
rng = np.random.default_rng(seed)


def textures(n, size=14):
    y = rng.integers(0, 5, n)
    ii, jj = np.mgrid[:size, :size]
    theta = np.pi * y / 5
    wave = np.cos(1.3 * (np.cos(theta)[:, None, None] * ii + np.sin(theta)[:, None, None] * jj) + rng.uniform(0, 6.28, n)[:, None, None])
    return torch.tensor(wave + 0.5 * rng.normal(size=wave.shape), dtype=torch.float32)[:, None], torch.tensor(y)


def mixup(x, y, alpha=0.4):
    lam = float(rng.beta(alpha, alpha))
    perm = torch.randperm(len(x))
    target = F.one_hot(y, 5).float()
    return lam * x + (1 - lam) * x[perm], lam * target + (1 - lam) * target[perm]


x, y = textures(1200)
xv, yv = textures(300)
net = nn.Sequential(nn.Conv2d(1, 16, 5), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 24, 3),
                    nn.BatchNorm2d(24), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(24, 5))
opt = torch.optim.AdamW(net.parameters(), lr=4e-3, weight_decay=0.01)
for epoch in range(10):
    net.train()
    s = 0
    for idx in torch.randperm(1200).split(40):
        a, b = mixup(x[idx], y[idx])
        loss = F.cross_entropy(net(a), b)
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item() / 30
    net.eval()
    with torch.no_grad():
        out = net(xv)
    print(f"epoch {epoch} train {s:.3f} val {F.cross_entropy(out, yv):.3f} acc {(out.argmax(1) == yv).float().mean():.3f}")
