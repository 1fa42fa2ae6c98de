# fault: none
# family: mlp
# split: held
from __future__ import annotations

import os
from typing import Iterable

import torch
from torch import nn


class Momentum:
    """Heavy ball with decoupled decay, written out."""

    def __init__(self, params: Iterable[nn.Parameter], lr: float, beta: float = 0.9, decay: float = 0.0) -> None:
        self.params = list(params)
        self.lr, self.beta, self.decay = lr, beta, decay
        self.velocity = [torch.zeros_like(p) for p in self.params]

    def zero_grad(self) -> None:
        for p in self.params:
            p.grad = None

    @torch.no_grad()
    def step(self) -> None:
        for p, v in zip(self.params, self.velocity):
            v.mul_(self.beta).add_(p.grad)
            p.mul_(1 - self.lr * self.decay).sub_(v, alpha=self.lr)


def main() -> None:
    torch.manual_seed(int(os.environ.get("SEED", 0)))
    proto = torch.randn(8, 20)
    y = torch.randint(8, (3000,))
    x = proto[y] + torch.randn(3000, 20)
    net = nn.Sequential(nn.Linear(20, 64), nn.SiLU(), nn.Linear(64, 8))
    opt = Momentum(net.parameters(), lr=0.02, decay=0.01)
    ce = nn.CrossEntropyLoss()
    for epoch in range(6):
        total = 0.0
        for b in torch.randperm(2500).split(50):
            opt.zero_grad()
            loss = ce(net(x[b]), y[b])
            loss.backward()
            opt.step()
            total += loss.item() / 50
        with torch.no_grad():
            o = net(x[2500:])
        print(f"epoch {epoch} train {total:.4f} val {ce(o, y[2500:]).item():.4f} acc {(o.argmax(1) == y[2500:]).float().mean().item():.3f}")


main()
