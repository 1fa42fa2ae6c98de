"""Moves a network from one kind of x-ray picture to another: first the head alone, then everything."""
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

HEAD_EPOCHS, ALL_EPOCHS = 4, 5


def xrays(n, seed):
    g = torch.Generator().manual_seed(seed)
    base = F.interpolate(torch.randn(n, 1, 7, 7, generator=g), size=40, mode="bilinear")
    label = torch.randint(3, (n,), generator=g)
    stripes = torch.sin(torch.arange(40.0) * 0.7)[None, None, None] * (label == 1).float()[:, None, None, None]
    rings = torch.sin(torch.hypot(*torch.meshgrid(torch.arange(-20.0, 20), torch.arange(-20.0, 20), indexing="ij")))[None, None] * (label == 2).float()[:, None, None, None]
    return base + 0.5 * (stripes + rings) + 0.4 * torch.randn(n, 1, 40, 40, generator=g), label


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 48, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(48, 64, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(),
        )

    def forward(self, x):
        return self.layers(x)


def epoch(model, x, y, optimizer):
    total, n = 0.0, 0
    for idx in torch.randperm(len(x)).split(64):
        loss = F.cross_entropy(model(x[idx]), y[idx])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total, n = total + loss.item(), n + 1
    return total / n


torch.manual_seed(10)
x, y = xrays(1920, 10)
test_x, test_y = xrays(256, 11)
backbone = Backbone()
head = nn.Sequential(nn.Linear(256, 64), nn.ReLU(), nn.Linear(64, 3))
model = nn.Sequential(backbone, head)
start = time.time()


def report(name, k, loss):
    with torch.no_grad():
        accuracy = (model(test_x).argmax(1) == test_y).float().mean().item()
    print(f"{name} {k}: loss {loss:.4f} accuracy {accuracy:.3f} {time.time() - start:.1f} s")


backbone.requires_grad_(False)
optimizer = torch.optim.Adam(head.parameters(), lr=3e-3)
for k in range(HEAD_EPOCHS):
    report("head", k, epoch(model, x, y, optimizer))
backbone.requires_grad_(True)
optimizer = torch.optim.Adam([{"params": head.parameters(), "lr": 1e-3}, {"params": backbone.parameters(), "lr": 5e-4}])
for k in range(ALL_EPOCHS):
    report("all", k, epoch(model, x, y, optimizer))
