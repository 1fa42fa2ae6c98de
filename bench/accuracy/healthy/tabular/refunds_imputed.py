# fault: none
# family: tabular
# split: held
"""Next-month spend from transaction aggregates with gaps: signed logs, median fill, a flag per gap."""
import os
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SEED = int(os.environ.get("SEED", "0"))
torch.manual_seed(SEED)
rng = np.random.default_rng(SEED)


@dataclass
class Config:
    rows: int = 6000
    features: int = 8
    hidden: int = 64
    batch_size: int = 128
    epochs: int = 6
    lr: float = 2e-3


def load_transactions(cfg):
    amounts = rng.lognormal(3.0, 1.0, size=(cfg.rows, cfg.features)).astype(np.float32)
    amounts[rng.random(amounts.shape) < 0.02] *= -1
    weight = rng.normal(size=cfg.features)
    spend = np.sign(amounts) * np.log1p(np.abs(amounts)) @ weight + 0.3 * rng.normal(size=cfg.rows)
    amounts[rng.random(amounts.shape) < 0.05] = np.nan
    return amounts, spend.astype(np.float32)


class Preprocessor:
    @staticmethod
    def signed_log(x):
        return np.sign(x) * np.log1p(np.abs(x))

    def fit(self, x):
        z = self.signed_log(x)
        self.median, self.mean, self.std = np.nanmedian(z, 0), np.nanmean(z, 0), np.nanstd(z, 0)
        return self

    def transform(self, x):
        z = self.signed_log(x)
        gap = np.isnan(z)
        z = (np.where(gap, self.median, z) - self.mean) / self.std
        return np.concatenate([z, gap], axis=1).astype(np.float32)


class SpendDataset(Dataset):
    def __init__(self, x, y):
        assert np.isfinite(x).all() and np.isfinite(y).all()
        self.x, self.y = torch.as_tensor(x), torch.as_tensor(y)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def main():
    cfg = Config()
    x, y = load_transactions(cfg)
    cut = int(0.85 * cfg.rows)
    pre = Preprocessor().fit(x[:cut])
    y = (y - y[:cut].mean()) / y[:cut].std()
    train = DataLoader(SpendDataset(pre.transform(x[:cut]), y[:cut]), cfg.batch_size, shuffle=True)
    valid = DataLoader(SpendDataset(pre.transform(x[cut:]), y[cut:]), 450)
    model = nn.Sequential(nn.Linear(2 * cfg.features, cfg.hidden), nn.GELU(), nn.Linear(cfg.hidden, cfg.hidden),
                          nn.GELU(), nn.Linear(cfg.hidden, 1), nn.Flatten(0))
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    criterion = nn.MSELoss()
    for epoch in range(cfg.epochs):
        model.train()
        total = 0.0
        for xb, yb in train:
            optimizer.zero_grad()
            loss = criterion(model(xb), yb)
            loss.backward()
            optimizer.step()
            total += loss.item()
        model.eval()
        with torch.no_grad():
            err = np.mean([criterion(model(a), b).item() for a, b in valid])
        print(f"epoch {epoch} train {total / len(train):.4f} valid {err:.4f}")


if __name__ == "__main__":
    main()
