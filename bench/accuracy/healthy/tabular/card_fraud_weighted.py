# fault: none
# family: tabular
# split: held
"""Fraud scoring, one in fifty: balanced sampling, judged by average precision and recall at a threshold."""
import os
from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler


@dataclass
class Config:
    n_train: int = 12000
    n_valid: int = 4000
    fraud_rate: float = 0.02
    features: int = 12
    hidden: int = 24
    batch_size: int = 128
    epochs: int = 3
    lr: float = 1e-3


def transactions(n, cfg, direction):
    y = (torch.rand(n) < cfg.fraud_rate).float()
    return TensorDataset(torch.randn(n, cfg.features) + 3.0 * y[:, None] * direction, y)


def average_precision(score, y):
    y = y[score.argsort(descending=True)]
    precision = y.cumsum(0) / torch.arange(1, len(y) + 1)
    return (precision * y).sum().item() / y.sum().item()


def main():
    torch.manual_seed(int(os.environ.get("SEED", "0")))
    cfg = Config()
    direction = nn.functional.normalize(torch.randn(cfg.features), dim=0)
    train, valid = transactions(cfg.n_train, cfg, direction), transactions(cfg.n_valid, cfg, direction)
    y = train.tensors[1]
    weights = torch.where(y > 0.5, 0.5 / y.mean(), 0.5 / (1 - y.mean()))
    sampler = WeightedRandomSampler(weights, num_samples=len(y), replacement=True)
    loader = DataLoader(train, cfg.batch_size, sampler=sampler)
    model = nn.Sequential(nn.Linear(cfg.features, cfg.hidden), nn.ReLU(), nn.Dropout(0.1), nn.Linear(cfg.hidden, 1),
                          nn.Flatten(0))
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=0.05)
    criterion = nn.BCEWithLogitsLoss()
    for epoch in range(cfg.epochs):
        model.train()
        total = 0.0
        for xb, yb in loader:
            loss = criterion(model(xb), yb)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        model.eval()
        with torch.no_grad():
            # undo the shift of the prior that the sampler made
            score = model(valid.tensors[0]) + torch.log(y.mean() / (1 - y.mean()))
            vloss = criterion(score, valid.tensors[1]).item()
        yv = valid.tensors[1]
        cut = score.sort(descending=True).values[int(0.04 * len(yv))]
        print(f"epoch {epoch} loss {total / len(loader):.4f} valid {vloss:.4f} AP {average_precision(score, yv):.3f} "
              f"recall at 4% {((score > cut) & (yv > 0.5)).sum() / yv.sum():.3f}")


if __name__ == "__main__":
    main()
