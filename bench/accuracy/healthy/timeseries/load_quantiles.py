# fault: none
# family: timeseries
# split: held
"""Three quantiles of the load six hours ahead, pinball loss, bf16 autocast."""
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
    lr: float = 5e-3
    batch_size: int = 64
    epochs: int = 6
    quantiles: tuple = (0.1, 0.5, 0.9)
    seed: int = int(os.environ.get("SEED", "0"))


class WindowDataset(Dataset):
    def __init__(self, series, cfg):
        self.series, self.cfg = series, cfg

    def __len__(self):
        return len(self.series) - self.cfg.window - self.cfg.horizon

    def __getitem__(self, i):
        end = i + self.cfg.window
        return self.series[i:end].unsqueeze(-1), self.series[end + self.cfg.horizon - 1]


class Forecaster(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.gru = nn.GRU(1, cfg.hidden, batch_first=True)
        self.head = nn.Linear(cfg.hidden, len(cfg.quantiles))

    def forward(self, x):
        return self.head(self.gru(x)[1][-1])


class Pinball(nn.Module):
    def __init__(self, quantiles):
        super().__init__()
        self.register_buffer("q", torch.tensor(quantiles))

    def forward(self, pred, y):
        err = y.unsqueeze(-1) - pred
        return torch.maximum(self.q * err, (self.q - 1) * err).sum(-1).mean()


def main():
    cfg = ForecastConfig()
    torch.manual_seed(cfg.seed)
    t = torch.arange(2200).float()
    load = torch.sin(2 * math.pi * t / 24) + 0.5 * torch.sin(2 * math.pi * t / 168) + 0.15 * torch.randn(len(t))
    load = (load - load[:1800].mean()) / load[:1800].std()
    train = DataLoader(WindowDataset(load[:1800], cfg), cfg.batch_size, shuffle=True)
    valid = DataLoader(WindowDataset(load[1800:], cfg), 512)
    model, criterion = Forecaster(cfg), Pinball(cfg.quantiles)
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
    for epoch in range(cfg.epochs):
        model.train()
        total = 0.0
        for x, y in train:
            with torch.autocast("cpu", dtype=torch.bfloat16):
                pred = model(x)
            loss = criterion(pred.float(), y)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            total += loss.item()
        model.eval()
        with torch.no_grad():
            pred = torch.cat([model(x) for x, _ in valid])
            true = torch.cat([y for _, y in valid])
        score = criterion(pred, true)
        scheduler.step(score)
        cover = ((true > pred[:, 0]) & (true < pred[:, 2])).float().mean()
        print(f"epoch {epoch} loss {total / len(train):.4f} valid {score:.4f} mae {(pred[:, 1] - true).abs().mean():.3f} cover {cover:.2f}")


if __name__ == "__main__":
    main()
