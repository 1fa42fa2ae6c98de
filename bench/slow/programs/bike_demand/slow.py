import argparse
import json
import os
import tempfile
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


def make_history(path, stations=60, hours=4000, seed=3):
    """Hourly counts of rented bikes of every station, one JSON line per station and hour."""
    rng = np.random.default_rng(seed)
    size = rng.uniform(0.5, 1.5, stations)
    phase = rng.uniform(0, 2, stations)
    with open(path, "w") as f:
        for h in range(hours):
            day = 1.0 + 0.8 * np.sin(2 * np.pi * h / 24 + phase) + 0.3 * np.sin(2 * np.pi * h / 168)
            counts = 40 * size * day + rng.normal(0, 4, stations)
            for s in range(stations):
                row = {"station": s, "hour": h, "rented": round(float(counts[s]), 2), "temp": round(10 + 8 * float(np.sin(h / 24)), 1)}
                f.write(json.dumps(row) + "\n")


class BikeWindows(Dataset):
    """Windows of a week; the history is opened on first use, in the process that reads."""

    def __init__(self, path, stations, hours, window, length):
        self.path, self.stations, self.hours, self.window, self.length = path, stations, hours, window, length
        self.table = None

    def _open(self):
        table = np.zeros((self.stations, self.hours, 2), dtype=np.float32)
        with open(self.path) as f:
            for line in f:
                row = json.loads(line)
                table[row["station"], row["hour"]] = row["rented"] / 40 - 1, row["temp"] / 10 - 1
        self.table = table

    def __len__(self):
        return self.length

    def __getitem__(self, i):
        if self.table is None:
            self._open()
        rng = np.random.default_rng(i)
        s = rng.integers(self.stations)
        h = rng.integers(self.hours - self.window - 1)
        x = self.table[s, h:h + self.window]
        y = self.table[s, h + 1:h + self.window + 1, 0]
        return torch.from_numpy(x), torch.from_numpy(y)


class Forecaster(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.encode = nn.Conv1d(2, hidden, 9, padding=8)
        self.mix = nn.Conv1d(hidden, hidden, 5, padding=4)
        self.head = nn.Conv1d(hidden, 1, 1)

    def forward(self, x):
        n = x.shape[1]
        z = x.transpose(1, 2)
        z = F.relu(self.encode(z)[..., :n])
        z = F.relu(self.mix(z)[..., :n])
        return self.head(z)[:, 0]


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=16)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--hidden", type=int, default=24)
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--workers", type=int, default=2)
    return p.parse_args()


def train(args, loader):
    model = Forecaster(args.hidden)
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr)
    began = time.perf_counter()
    for epoch in range(args.epochs):
        losses = []
        for x, y in loader:
            loss = F.mse_loss(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.detach())
        print(f"[{epoch + 1}/{args.epochs}] mse {torch.stack(losses).mean():.4f}")
    print(f"done in {time.perf_counter() - began:.1f}s")


if __name__ == "__main__":
    args = parse()
    torch.manual_seed(1)
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "history.jsonl")
        make_history(path)
        data = BikeWindows(path, 60, 4000, 168, 1280)
        loader = DataLoader(data, batch_size=args.batch_size, shuffle=True, num_workers=args.workers)
        train(args, loader)
