# fault: targets-not-scaled
# cause_class: data-scaling, loss
# family: regression
# split: held
# twin: healthy/regression/salaries.py
from __future__ import annotations

import logging
import os
from dataclasses import dataclass, field

import torch
from torch import nn

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
log = logging.getLogger("salaries")


@dataclass
class Settings:
    seed: int = field(default_factory=lambda: int(os.environ.get("SEED", "0")))
    epochs: int = 12
    batch_size: int = 40
    lr: float = 1e-3


def people(n: int) -> tuple[torch.Tensor, torch.Tensor]:
    x = torch.randn(n, 9)
    base = 52_000 + 9_000 * x[:, 0] + 6_000 * torch.tanh(2 * x[:, 1]) + 7_000 * x[:, 2] * x[:, 3]
    return x, (base + 1_500 * torch.randn(n)).unsqueeze(1)


def run(s: Settings) -> None:
    torch.manual_seed(s.seed)
    x, dollars = people(2500)
    y = dollars
    model = nn.Sequential(nn.Linear(9, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
    opt = torch.optim.Adam(model.parameters(), lr=s.lr)
    loss_fn = nn.MSELoss()
    for epoch in range(s.epochs):
        for idx in torch.randperm(2000).split(s.batch_size):
            opt.zero_grad()
            loss = loss_fn(model(x[idx]), y[idx])
            loss.backward()
            opt.step()
        with torch.no_grad():
            val = loss_fn(model(x[2000:]), y[2000:]).item()
        r2 = 1 - val / y[2000:].var().item()
        log.info("epoch %d train %.4g val %.4g r2 %.3f", epoch, loss.item(), val, r2)


if __name__ == "__main__":
    run(Settings())
