# fault: class-imbalance
# cause_class: imbalance, loss, labels
# family: tabular
# split: tune
"""Fraud scoring: one transaction in a hundred is a fraud; the business wants them found."""
import os
from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    n_train: int = 12000
    n_valid: int = 4000
    fraud_rate: float = 0.01
    features: int = 12
    hidden: int = 32
    batch_size: int = 128
    epochs: int = 4
    lr: float = 1e-3


class FraudNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(cfg.features, cfg.hidden), nn.ReLU(), nn.Linear(cfg.hidden, cfg.hidden),
                                 nn.ReLU(), nn.Linear(cfg.hidden, 2))

    def forward(self, x):
        return self.net(x)


def transactions(n, cfg, direction):
    y = (torch.rand(n) < cfg.fraud_rate).long()
    x = torch.randn(n, cfg.features) + 1.6 * y[:, None] * direction
    return TensorDataset(x, y)


def report(model, data):
    model.eval()
    x, y = data.tensors
    with torch.no_grad():
        guess = model(x).argmax(1)
    tp = ((guess == 1) & (y == 1)).sum().item()
    return {"accuracy": (guess == y).float().mean().item(), "recall": tp / max(1, (y == 1).sum().item()),
            "flagged": (guess == 1).sum().item()}


def main():
    torch.manual_seed(int(os.environ.get("SEED", "0")))
    cfg = Config()
    direction = nn.functional.normalize(torch.randn(cfg.features), dim=0)
    train, valid = transactions(cfg.n_train, cfg, direction), transactions(cfg.n_valid, cfg, direction)
    model, criterion = FraudNet(cfg), nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    for epoch in range(cfg.epochs):
        model.train()
        total, n = 0.0, 0
        for x, y in DataLoader(train, cfg.batch_size, shuffle=True):
            loss = criterion(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total, n = total + loss.item(), n + 1
        print(f"epoch {epoch} loss {total / n:.4f} {report(model, valid)}")


if __name__ == "__main__":
    main()
