# fault: learning-rate-too-high
# cause_class: learning-rate, optimizer
# family: cnn
# split: held
import math
import os
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    classes: int = 4
    size: int = 16
    batch: int = 32
    steps: int = 500
    peak_lr: float = 0.05
    momentum: float = 0.9
    warmup: int = 20
    seed: int = int(os.environ.get("SEED", 0))


cfg = Config()
torch.manual_seed(cfg.seed)


def textures(n):
    y = torch.randint(cfg.classes, (n,))
    g = torch.arange(cfg.size).float()
    yy, xx = torch.meshgrid(g, g, indexing="ij")
    angle = y.float() * math.pi / cfg.classes + 0.15 * torch.randn(n)
    phase = torch.rand(n) * 2 * math.pi
    wave = torch.sin(0.9 * (torch.cos(angle)[:, None, None] * xx + torch.sin(angle)[:, None, None] * yy) + phase[:, None, None])
    return (wave + 0.7 * torch.randn(n, cfg.size, cfg.size)).unsqueeze(1), y


class TextureNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(1, 12, 5, padding=2)
        self.c2 = nn.Conv2d(12, 24, 3, padding=1)
        self.fc = nn.Linear(24, cfg.classes)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.c1(x)), 2)
        x = F.relu(self.c2(x))
        return self.fc(x.mean((2, 3)))


class WarmupConstant:
    def __init__(self, optimizer, peak, warmup):
        self.optimizer, self.peak, self.warmup, self.n = optimizer, peak, warmup, 0

    def step(self):
        self.n += 1
        for g in self.optimizer.param_groups:
            g["lr"] = self.peak * self.n / self.warmup


train_x, train_y = textures(2000)
test_x, test_y = textures(500)
model = TextureNet()
optimizer = torch.optim.SGD(model.parameters(), lr=cfg.peak_lr / cfg.warmup, momentum=cfg.momentum)
schedule = WarmupConstant(optimizer, cfg.peak_lr, cfg.warmup)

for step in range(cfg.steps):
    idx = torch.randint(len(train_x), (cfg.batch,))
    loss = F.cross_entropy(model(train_x[idx]), train_y[idx])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()
    if step % 50 == 0 or step == cfg.steps - 1:
        model.eval()
        with torch.no_grad():
            acc = (model(test_x).argmax(1) == test_y).float().mean()
        model.train()
        print(f"step {step:4d} loss {loss.item():.3f} acc {acc:.3f}")
