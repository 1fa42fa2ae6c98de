# fault: output-range
# cause_class: output-activation, activation, structure
# family: finance
# split: held
import os
from dataclasses import dataclass, field
from typing import List

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class AlphaConfig:
    factors: int = 16
    hidden: List[int] = field(default_factory=lambda: [64, 32])
    lr: float = 1e-3
    weight_decay: float = 1e-4
    batch: int = 128
    epochs: int = 15


def dense(sizes, act=nn.ReLU):
    layers = []
    for i, o in zip(sizes[:-1], sizes[1:]):
        layers += [nn.Linear(i, o), act()]
    return nn.Sequential(*layers)


def panel(n, d):
    """Cross-section of factor exposures and next month's excess return, both z-scored."""
    x = torch.randn(n, d)
    r = 0.8 * x[:, 0] - 0.6 * x[:, 1] + 0.5 * x[:, 2] * x[:, 3] + 0.4 * torch.tanh(2 * x[:, 4])
    r = r + 0.5 * torch.randn(n)
    return x, ((r - r.mean()) / r.std())[:, None]


def r2(pred, y):
    return (1 - (pred - y).pow(2).sum() / (y - y.mean()).pow(2).sum()).item()


class Fitter:
    def __init__(self, cfg):
        self.cfg = cfg
        self.model = dense([cfg.factors, *cfg.hidden, 1])
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr, weight_decay=cfg.weight_decay)
        self.loss = nn.MSELoss()

    def epoch(self, loader):
        self.model.train()
        total = 0.0
        for x, y in loader:
            self.opt.zero_grad()
            loss = self.loss(self.model(x), y)
            loss.backward()
            self.opt.step()
            total += loss.item()
        return total / len(loader)

    @torch.no_grad()
    def score(self, x, y):
        self.model.eval()
        return r2(self.model(x), y)


def main(cfg=AlphaConfig()):
    torch.manual_seed(int(os.environ.get("SEED", 0)))
    x, y = panel(5000, cfg.factors)
    fit = Fitter(cfg)
    loader = DataLoader(TensorDataset(x[:4000], y[:4000]), cfg.batch, shuffle=True)
    for e in range(cfg.epochs):
        mse = fit.epoch(loader)
        print(f"epoch {e:2d} mse {mse:.4f} r2 held out {fit.score(x[4000:], y[4000:]):.3f}")


main()
