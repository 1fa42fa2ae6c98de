# fault: weight-decay-too-strong
# cause_class: regularisation, loss
# family: cnn
# split: tune
"""Squares, discs and crosses; the objective is cross-entropy with Tikhonov regularisation."""
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


def draw(n, size=14):
    yy, xx = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    cy, cx = torch.randint(4, size - 4, (2, n, 1, 1))
    r = torch.randint(2, 4, (n, 1, 1))
    dy, dx = (yy - cy).abs(), (xx - cx).abs()
    kinds = torch.stack([torch.maximum(dy, dx) <= r, dy ** 2 + dx ** 2 <= r ** 2, (torch.minimum(dy, dx) == 0) & (torch.maximum(dy, dx) <= r)], 1)
    y = torch.randint(0, 3, (n,))
    return kinds[torch.arange(n), y].float()[:, None] + 0.2 * torch.randn(n, 1, size, size), y


class Shapes(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 12, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(12, 24, 3), nn.ReLU())
        self.head = nn.Linear(24 * 16, 3)

    def forward(self, x):
        return self.head(self.features(x).flatten(1))


def objective(model, x, y, alpha=0.4):
    flat = torch.cat([p.reshape(-1) for p in model.parameters()])
    return nn.functional.cross_entropy(model(x), y) + alpha * flat.square().sum() / 2


model = Shapes()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
for step in range(300):
    x, y = draw(48)
    loss = objective(model, x, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 49:
        with torch.no_grad():
            x, y = draw(300)
            print(f"step {step + 1} objective {loss.item():.4f} accuracy {(model(x).argmax(1) == y).float().mean().item():.3f}")
