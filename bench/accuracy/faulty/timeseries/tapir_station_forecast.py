# fault: inputs-not-scaled
# cause_class: data-scaling, data-loading
# family: timeseries
# split: held
import argparse
import os

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

p = argparse.ArgumentParser()
p.add_argument("--window", type=int, default=24)
p.add_argument("--hidden", type=int, default=24)
p.add_argument("--lr", type=float, default=2e-3)
p.add_argument("--epochs", type=int, default=6)
args = p.parse_args([])

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)
rng = np.random.default_rng(seed)


def read_station(n=3200):
    """Hourly temperature and humidity as the logger writes them (-9999: no reading)."""
    t = np.arange(n)
    temp = 12 + 6 * np.sin(2 * np.pi * t / 24) + 3 * np.sin(2 * np.pi * t / 170) + rng.normal(0, 0.7, n)
    hum = 60 - 2.2 * (temp - 12) + rng.normal(0, 2, n)
    for s in rng.choice(np.arange(100, n - 400), 5, replace=False):
        hum[s:s + 2] = -9999.0
    return temp, hum


class Windows(Dataset):
    MEAN = np.array([12.0, 60.0])
    STD = np.array([5.0, 11.0])

    def __init__(self, temp, hum, window):
        raw = np.stack([temp, hum], 1)
        self.x = torch.tensor((raw - self.MEAN) / self.STD, dtype=torch.float32)
        self.w = window

    def __len__(self):
        return len(self.x) - self.w - 1

    def __getitem__(self, i):
        chunk = self.x[i:i + self.w + 1]
        return chunk[:-1], chunk[1:]


class Forecaster(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.inp = nn.Linear(2, hidden)
        self.gru = nn.GRU(hidden, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 2)

    def forward(self, x):
        h, _ = self.gru(torch.relu(self.inp(x)))
        return x + self.out(h)


temp, hum = read_station()
train = Windows(temp[:2800], hum[:2800], args.window)
test = Windows(temp[2800:], hum[2800:], args.window)
loader = DataLoader(train, batch_size=64, shuffle=True)
model = Forecaster(args.hidden)
opt = torch.optim.Adam(model.parameters(), lr=args.lr)
for epoch in range(args.epochs):
    model.train()
    seen = []
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        seen.append(loss.item())
    model.eval()
    with torch.no_grad():
        val = np.mean([nn.functional.mse_loss(model(x), y).item() for x, y in DataLoader(test, 128)])
    print(f"epoch {epoch}: train {np.mean(seen):.3f} min {min(seen):.3f} max {max(seen):.1f} test {val:.3f}")
