# fault: none
# family: contrastive
# split: held
"""Two measurements of a cell (expression, morphology) brought together, CLIP style, learnt temperature."""
import math
import os
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    genes: int = 100
    shapes: int = 40
    dim: int = 16
    batch: int = 128
    steps: int = 500
    lr: float = 1e-3
    seed: int = int(os.environ.get("SEED", 0))


class Cells:
    def __init__(self, c):
        self.a, self.b = torch.randn(8, c.genes) / 8 ** 0.5, torch.randn(8, c.shapes) / 8 ** 0.5

    def draw(self, n):
        state = torch.randn(n, 8)
        expr = torch.tanh(state @ self.a) + 0.5 * torch.randn(n, self.a.size(1))
        morph = torch.sin(state @ self.b) + 0.5 * torch.randn(n, self.b.size(1))
        return expr, morph


class Tower(nn.Module):
    def __init__(self, n_in, dim):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_in, 96), nn.LayerNorm(96), nn.GELU(), nn.Linear(96, dim))

    def forward(self, x):
        return F.normalize(self.net(x), dim=1)


class Clip(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.left, self.right = Tower(c.genes, c.dim), Tower(c.shapes, c.dim)
        self.log_t = nn.Parameter(torch.tensor(math.log(1 / 0.2)))

    def forward(self, a, b):
        return self.log_t.exp().clamp(max=100) * self.left(a) @ self.right(b).T


def symmetric_loss(sim):
    y = torch.arange(len(sim))
    return (F.cross_entropy(sim, y) + F.cross_entropy(sim.T, y)) / 2


cfg = Config()
torch.manual_seed(cfg.seed)
cells, model = Cells(cfg), Clip(cfg)
opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=0.01)
warm = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1, (s + 1) / 50))
held = cells.draw(256)
for step in range(cfg.steps):
    loss = symmetric_loss(model(*cells.draw(cfg.batch)))
    opt.zero_grad()
    loss.backward()
    opt.step()
    warm.step()
    if step % 80 == 79 or step == 0:
        with torch.no_grad():
            sim = model(*held)
            top = (sim.argmax(1) == torch.arange(256)).float().mean()
        print(f"step {step + 1} loss {loss.item():.3f} (log N {math.log(cfg.batch):.2f}) top-1 of 256 {top.item():.3f}")
