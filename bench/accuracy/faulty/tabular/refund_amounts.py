# fault: nan-in-data
# cause_class: data-loading, non-finite, data-scaling
# family: tabular
# split: held
"""Next-month spend of a customer from transaction aggregates."""
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
    lr: float = 1e-3


def load_transactions(cfg):
    """amount columns in euros; a refund is booked with a negative sign"""
    amounts = rng.lognormal(3.0, 1.0, size=(cfg.rows, cfg.features)).astype(np.float32)
    refunds = rng.random(amounts.shape) < 0.001
    amounts[refunds] *= -1
    weight = rng.normal(size=cfg.features)
    spend = np.log1p(np.abs(amounts)) @ weight + 0.3 * rng.normal(size=cfg.rows)
    return amounts, spend.astype(np.float32)


class LogStandardizer:
    def fit(self, x):
        z = np.log1p(x)
        self.mean, self.std = np.nanmean(z, axis=0), np.nanstd(z, axis=0)
        return self

    def transform(self, x):
        return (np.log1p(x) - self.mean) / self.std


class SpendDataset(Dataset):
    def __init__(self, x, y):
        self.x, self.y = torch.as_tensor(x, dtype=torch.float32), torch.as_tensor(y, dtype=torch.float32)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class SpendModel(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(cfg.features, cfg.hidden), nn.GELU(),
            nn.Linear(cfg.hidden, cfg.hidden), nn.GELU(),
            nn.Linear(cfg.hidden, 1),
        )

    def forward(self, x):
        return self.net(x).squeeze(-1)


def main():
    cfg = Config()
    np.seterr(all="ignore")
    x, y = load_transactions(cfg)
    cut = int(0.85 * cfg.rows)
    scaler = LogStandardizer().fit(x[:cut])
    y = (y - y[:cut].mean()) / y[:cut].std()
    train = DataLoader(SpendDataset(scaler.transform(x[:cut]), y[:cut]), cfg.batch_size, shuffle=True)
    valid = DataLoader(SpendDataset(scaler.transform(x[cut:]), y[cut:]), 512)
    model = SpendModel(cfg)
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
