# fault: loss-misused
# cause_class: loss, output-activation, structure
# family: finegrained
# split: tune
import os
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Config:
    classes: int = 60
    dim: int = 24
    emb: int = 32
    lr: float = 0.05
    steps: int = 700
    batch: int = 96
    seed: int = field(default_factory=lambda: int(os.environ.get("SEED", 0)))


class NormFaceHead(nn.Module):
    def __init__(self, emb, classes):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(classes, emb))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, z):
        return F.normalize(z, dim=1) @ F.normalize(self.weight, dim=1).T


class Species(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(cfg.dim, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, cfg.emb))
        self.head = NormFaceHead(cfg.emb, cfg.classes)

    def forward(self, x):
        return self.head(self.trunk(x))


class Source:
    def __init__(self, cfg):
        self.mean = torch.randn(cfg.classes, cfg.dim)
        self.dirs = torch.randn(cfg.classes, cfg.dim) * 0.8

    def __call__(self, n):
        y = torch.randint(0, len(self.mean), (n,))
        s = torch.where(torch.rand(n, 1) < 0.5, 1.0, -1.0)
        return self.mean[y] + s * self.dirs[y] + 0.8 * torch.randn(n, self.mean.shape[1]), y


def run(cfg=Config()):
    torch.manual_seed(cfg.seed)
    src, model = Source(cfg), Species(cfg)
    opt = torch.optim.SGD(model.parameters(), lr=cfg.lr, momentum=0.9, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, cfg.steps)
    val = src(600)
    for i in range(1, cfg.steps + 1):
        model.train()
        x, y = src(cfg.batch)
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        if i % 100 == 0:
            model.eval()
            with torch.no_grad():
                o = model(val[0])
            print(f"{i:4d} train {loss.item():.3f} val {F.cross_entropy(o, val[1]).item():.3f} acc {(o.argmax(1) == val[1]).float().mean().item():.3f}")


run()
