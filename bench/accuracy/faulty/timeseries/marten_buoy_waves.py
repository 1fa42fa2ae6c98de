# fault: inputs-not-scaled
# cause_class: data-scaling, data-loading
# family: timeseries
# split: held
import math
import os
import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

seed = int(os.environ.get("SEED", "0"))
random.seed(seed)
np.random.seed(seed)
torch.manual_seed(seed)


def read_buoy(hours=4000):
    """Significant wave height of a buoy as the archive gives it, one value an hour."""
    t = np.arange(hours)
    swell = 0.8 * np.sin(2 * math.pi * t / 73) + 0.5 * np.sin(2 * math.pi * t / 24.8)
    noise = np.zeros(hours)
    for i in range(1, hours):
        noise[i] = 0.8 * noise[i - 1] + 0.12 * np.random.randn()
    height = 2.2 + swell + noise
    wind = 7 + 2.5 * np.roll(swell, -3) + 0.8 * np.random.randn(hours)
    gone = np.random.rand(hours) < 0.0015
    wind[gone] = -9999.0
    return np.stack([height, wind], 1).astype(np.float32)


class Windows(Dataset):
    def __init__(self, series, length=24):
        self.series = torch.from_numpy(series)
        self.length = length

    def __len__(self):
        return len(self.series) - self.length

    def __getitem__(self, i):
        past = self.series[i:i + self.length].clone()
        target = (self.series[i + self.length, 0] - 2.2) / 0.9
        past[:, 0] = (past[:, 0] - 2.2) / 0.9
        past[:, 1] = (past[:, 1] - 7.0) / 2.5
        return past.flatten(), target


class Forecaster(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(48, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


data = read_buoy()
train_set, test_set = Windows(data[:3200]), Windows(data[3200:])
loader = DataLoader(train_set, batch_size=32, shuffle=True)
test_loader = DataLoader(test_set, batch_size=128)
model = Forecaster()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
mse = nn.MSELoss()

for epoch in range(8):
    model.train()
    losses = []
    for x, y in loader:
        opt.zero_grad()
        loss = mse(model(x), y)
        loss.backward()
        opt.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        err = torch.cat([(model(x) - y).abs() for x, y in test_loader])
    print(f"epoch {epoch}: train mse {np.mean(losses):.3f} (median {np.median(losses):.3f}, max {max(losses):.1f}), test mae {err.mean():.3f}")
