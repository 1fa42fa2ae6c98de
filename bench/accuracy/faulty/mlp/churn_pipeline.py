# fault: labels-constant
# cause_class: labels, data-loading, imbalance
# family: mlp
# split: tune
# needs: numpy
"""Customer churn from account features."""
import argparse
import os
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=15)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--months", type=float, default=3.0, help="no visit for this long counts as churned")
    return p.parse_args([])


def accounts(n, rng):
    tenure = rng.exponential(12, n)
    tickets = rng.poisson(1.5, n)
    spend = rng.gamma(2.0, 20.0, n)
    age = rng.normal(40, 12, n)
    idle = np.clip(3 + 1.2 * (tickets - 1.5) - 0.08 * (tenure - 12) + rng.normal(0, 1, n), 0, None)
    return np.stack([tenure, tickets, spend, age], 1), idle


def standardise(a):
    return (a - a.mean(0)) / a.std(0)


def load(args, seed):
    rng = np.random.default_rng(seed)
    features, idle = accounts(2000, rng)
    table = standardise(np.column_stack([features, idle]))
    x = torch.tensor(table[:, :-1], dtype=torch.float32)
    churned = torch.tensor(table[:, -1] > 4 * args.months, dtype=torch.float32)
    return x, churned


def main():
    args = parse()
    seed = int(os.environ.get("SEED", 0))
    torch.manual_seed(seed)
    x, y = load(args, seed)
    train = DataLoader(TensorDataset(x[:1600], y[:1600]), batch_size=args.batch_size, shuffle=True)
    net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 1))
    opt = torch.optim.Adam(net.parameters(), lr=args.lr)
    bce = nn.BCEWithLogitsLoss()
    for epoch in range(args.epochs):
        net.train()
        s = 0.0
        for xb, yb in train:
            opt.zero_grad()
            loss = bce(net(xb).squeeze(1), yb)
            loss.backward()
            opt.step()
            s += loss.item()
        net.eval()
        with torch.no_grad():
            out = net(x[1600:]).squeeze(1)
            acc = ((out > 0).float() == y[1600:]).float().mean()
        print(f"epoch {epoch:2d} loss {s / len(train):.5f} accuracy {acc:.4f}")


if __name__ == "__main__":
    main()
