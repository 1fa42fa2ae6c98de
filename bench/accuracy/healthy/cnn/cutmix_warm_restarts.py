# fault: none
# family: cnn
# split: tune
# CutMix with two labels per picture and CosineAnnealingWarmRestarts: the loss jumps at every restart.
import os

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

seed = int(os.environ.get("SEED", "0"))
torch.manual_seed(seed)
rng = np.random.default_rng(seed)

classes = torch.randn(6, 3, 8, 8)
labels = torch.randint(0, 6, (1200,))
images = classes[labels] + 1.0 * torch.randn(1200, 3, 8, 8)

model = nn.Sequential(
    nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(),
    nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.BatchNorm2d(32), nn.ReLU(),
    nn.Flatten(), nn.Linear(32 * 16, 6),
)
optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=0.05)
scheduler = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=60, T_mult=1)


def cutmix(x, y):
    lam = rng.beta(1.0, 1.0)
    cut = int(8 * np.sqrt(1 - lam))
    r, c = rng.integers(0, 8 - cut + 1, 2)
    j = torch.randperm(len(x))
    x = x.clone()
    x[:, :, r:r + cut, c:c + cut] = x[j, :, r:r + cut, c:c + cut]
    return x, y, y[j], 1 - cut * cut / 64


losses = []
for step in range(240):
    i = torch.randint(0, 1200, (32,))
    x, ya, yb, lam = cutmix(images[i], labels[i])
    out = model(x)
    loss = lam * F.cross_entropy(out, ya) + (1 - lam) * F.cross_entropy(out, yb)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    losses.append(loss.item())
print(f"loss first {np.mean(losses[:10]):.4f} last {np.mean(losses[-20:]):.4f}")
