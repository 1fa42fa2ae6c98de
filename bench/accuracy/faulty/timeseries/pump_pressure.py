# fault: nan-in-data
# cause_class: non-finite, data-loading, labels
# family: timeseries
# split: tune
# needs: numpy
"""Predict the next pressure reading of a pump from a window over its sensors."""
import os
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import Dataset, DataLoader

rng = np.random.default_rng(int(os.environ.get("SEED", "0")))
torch.manual_seed(int(os.environ.get("SEED", "0")))
N_STEPS, WINDOW = 1600, 24


def read_sensors():
    t = np.arange(N_STEPS)
    pressure = 4 + np.sin(t / 9) + 0.4 * np.sin(t / 31) + 0.05 * rng.normal(size=N_STEPS)
    flow = 20 + 3 * np.cos(t / 9) + 0.3 * rng.normal(size=N_STEPS)
    temperature = 60 + 0.01 * t + rng.normal(size=N_STEPS)
    valve = np.full(N_STEPS, 3.0)          # setting of the bypass valve
    return np.stack([pressure, flow, temperature, valve], axis=1)


class Windows(Dataset):
    def __init__(self, table, stats):
        mean, std = stats
        self.x = torch.from_numpy(((table - mean) / std).astype("float32"))

    def __len__(self):
        return len(self.x) - WINDOW

    def __getitem__(self, i):
        return self.x[i:i + WINDOW], self.x[i + WINDOW, 0]


class Forecaster(nn.Module):
    def __init__(self, n_sensors):
        super().__init__()
        self.gru = nn.GRU(n_sensors, 32, batch_first=True)
        self.head = nn.Linear(32, 1)

    def forward(self, x):
        out, _ = self.gru(x)
        return self.head(out[:, -1]).squeeze(-1)


np.seterr(all="ignore")
table = read_sensors()
split = 1300
stats = table[:split].mean(0), table[:split].std(0)
train = DataLoader(Windows(table[:split], stats), batch_size=32, shuffle=True)
test = DataLoader(Windows(table[split:], stats), batch_size=128)
net = Forecaster(table.shape[1])
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
crit = nn.MSELoss()
for epoch in range(4):
    net.train()
    losses = []
    for x, y in train:
        opt.zero_grad()
        loss = crit(net(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        opt.step()
        losses.append(loss.item())
    net.eval()
    with torch.no_grad():
        mse = np.mean([crit(net(x), y).item() for x, y in test])
    print("epoch", epoch, "train mse", np.mean(losses), "test mse", mse)
