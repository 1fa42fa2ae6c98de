# fault: broadcast-targets
# cause_class: loss, labels
# family: regression
# split: tune
import os
from dataclasses import dataclass

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


@dataclass
class Config:
    seed: int = int(os.environ.get("SEED", 0))
    n: int = 900
    hidden: int = 48
    lr: float = 3e-3
    epochs: int = 20
    batch: int = 50


class Buildings(Dataset):
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        # newer houses count more
        return self.x[i], self.y[i], 0.5 + torch.sigmoid(self.x[i, 0])


class WeightedHuber(nn.Module):
    """Huber loss with one weight per house."""

    def __init__(self, delta=1.0):
        super().__init__()
        self.delta = delta

    def forward(self, pred, target, weight):
        err = (pred - target).abs()
        quad = torch.clamp(err, max=self.delta)
        per_item = 0.5 * quad ** 2 + self.delta * (err - quad)
        return (weight * per_item).mean() / weight.mean()


class Trainer:
    def __init__(self, cfg):
        self.cfg = cfg
        torch.manual_seed(cfg.seed)
        x = torch.randn(cfg.n, 6)
        y = 1.5 * x[:, 0] - x[:, 1] * x[:, 2] + torch.sin(2 * x[:, 3]) + 0.1 * torch.randn(cfg.n)
        y = (y - y.mean()) / y.std()
        self.train = DataLoader(Buildings(x[:700], y[:700]), batch_size=cfg.batch, shuffle=True)
        self.xv, self.yv = x[700:], y[700:]
        self.model = nn.Sequential(nn.Linear(6, cfg.hidden), nn.SiLU(), nn.Linear(cfg.hidden, cfg.hidden),
                                   nn.SiLU(), nn.Linear(cfg.hidden, 1))
        self.loss = WeightedHuber()
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr)

    def fit(self):
        for epoch in range(self.cfg.epochs):
            self.model.train()
            seen = []
            for x, y, w in self.train:
                self.opt.zero_grad(set_to_none=True)
                loss = self.loss(self.model(x), y, w)
                loss.backward()
                self.opt.step()
                seen.append(loss.item())
            if epoch % 4 == 3:
                print(epoch, "train", round(sum(seen) / len(seen), 4), "r2", round(self.r2(), 3))

    @torch.no_grad()
    def r2(self):
        self.model.eval()
        p = self.model(self.xv).squeeze(1)
        return float(1 - ((p - self.yv) ** 2).sum() / ((self.yv - self.yv.mean()) ** 2).sum())


if __name__ == "__main__":
    Trainer(Config()).fit()
