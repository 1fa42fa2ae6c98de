# fault: broadcast-targets
# cause_class: loss, labels, structure
# family: timeseries
# split: tune
"""Day-ahead load from the last 24 hours."""
import math
import os
from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


@dataclass
class ForecastConfig:
    window: int = 24
    horizon: int = 6
    hidden: int = 32
    lr: float = 3e-3
    batch_size: int = 64
    epochs: int = 6
    seed: int = int(os.environ.get("SEED", "0"))


class WindowDataset(Dataset):
    def __init__(self, series, cfg):
        self.series, self.cfg = series, cfg

    def __len__(self):
        return len(self.series) - self.cfg.window - self.cfg.horizon

    def __getitem__(self, i):
        end = i + self.cfg.window
        x = self.series[i:end].unsqueeze(-1)
        return x, self.series[end + self.cfg.horizon - 1]


class LoadForecaster(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.lstm = nn.LSTM(1, cfg.hidden, batch_first=True)
        self.head = nn.Linear(cfg.hidden, 1)

    def forward(self, x):
        _, (h, _) = self.lstm(x)
        return self.head(h[-1])


class SmoothLoss(nn.Module):
    """quadratic near zero, linear outside"""

    def __init__(self, delta=1.0):
        super().__init__()
        self.delta = delta

    def forward(self, prediction, target):
        err = (prediction - target).abs()
        return torch.where(err < self.delta, 0.5 * err ** 2, self.delta * (err - 0.5 * self.delta)).mean()


def main():
    cfg = ForecastConfig()
    torch.manual_seed(cfg.seed)
    t = torch.arange(2200).float()
    load = torch.sin(2 * math.pi * t / 24) + 0.5 * torch.sin(2 * math.pi * t / 168) + 0.15 * torch.randn(len(t))
    load = (load - load[:1800].mean()) / load[:1800].std()
    train = DataLoader(WindowDataset(load[:1800], cfg), cfg.batch_size, shuffle=True)
    valid = DataLoader(WindowDataset(load[1800:], cfg), 512)
    model, criterion = LoadForecaster(cfg), SmoothLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    for epoch in range(cfg.epochs):
        model.train()
        total = 0.0
        for x, y in train:
            loss = criterion(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            total += loss.item()
        model.eval()
        with torch.no_grad():
            pred = torch.cat([model(x).flatten() for x, _ in valid])
            true = torch.cat([y for _, y in valid])
        mae = (pred - true).abs().mean()
        print(f"epoch {epoch} loss {total / len(train):.4f} valid mae {mae:.3f} spread {pred.std():.3f}/{true.std():.3f}")


if __name__ == "__main__":
    main()
