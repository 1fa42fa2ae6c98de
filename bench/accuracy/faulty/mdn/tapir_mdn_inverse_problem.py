# fault: not-finite
# cause_class: non-finite, loss
# family: mdn
# split: held
"""Mixture density network for a one-to-many mapping (Bishop's inverse sine)."""
import math
import os
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Cfg:
    seed: int = int(os.environ.get("SEED", 0))
    n: int = 3000
    components: int = 5
    hidden: int = 48
    lr: float = 3e-3
    batch: int = 100
    epochs: int = 20


class MDN(nn.Module):
    def __init__(self, k, h):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(1, h), nn.Tanh(), nn.Linear(h, h), nn.Tanh())
        self.pi, self.mu, self.s = nn.Linear(h, k), nn.Linear(h, k), nn.Linear(h, k)

    def forward(self, x):
        h = self.body(x)
        return self.pi(h).softmax(-1), self.mu(h), self.s(h).exp()


def mixture_nll(pi, mu, sigma, y):
    z = (y - mu) / sigma
    density = torch.exp(-0.5 * z * z) / (sigma * math.sqrt(2 * math.pi))
    return -(pi * density).sum(-1).log().mean()


def make(cfg, g):
    t = torch.rand(cfg.n, 1, generator=g) * 2 - 1
    x = t + 0.3 * torch.sin(2 * math.pi * t) + 0.01 * torch.randn(cfg.n, 1, generator=g)
    # a handful of readings where the instrument jumped
    jump = torch.randperm(cfg.n, generator=g)[:5]
    t[jump] = t[jump].sign() * -4.0
    return x, t


def main(cfg):
    torch.manual_seed(cfg.seed)
    g = torch.Generator().manual_seed(cfg.seed)
    x, y = make(cfg, g)
    net = MDN(cfg.components, cfg.hidden)
    opt = torch.optim.Adam(net.parameters(), lr=cfg.lr)
    for epoch in range(cfg.epochs):
        total = 0.0
        for idx in torch.randperm(cfg.n, generator=g).split(cfg.batch):
            loss = mixture_nll(*net(x[idx]), y[idx])
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            opt.step()
            total += loss.item()
        print(f"epoch {epoch} nll {total / (cfg.n // cfg.batch):.4f}")


if __name__ == "__main__":
    main(Cfg())
