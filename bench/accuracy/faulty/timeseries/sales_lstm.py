# fault: targets-not-scaled
# cause_class: data-scaling, learning-rate, data-loading
# family: timeseries
# split: tune
import os

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

SEED = int(os.environ.get("SEED", 0))
np.random.seed(SEED)
torch.manual_seed(SEED)


def daily_sales(days=900):
    t = np.arange(days)
    weekly = 1 + 0.3 * np.sin(2 * np.pi * t / 7)
    yearly = 1 + 0.2 * np.sin(2 * np.pi * t / 365)
    return 4200 * weekly * yearly + np.random.normal(0, 120, days)


class Windows(Dataset):
    def __init__(self, series, lookback=14):
        self.raw = torch.tensor(series, dtype=torch.float32)
        self.mean, self.std = self.raw.mean(), self.raw.std()
        self.lookback = lookback

    def __len__(self):
        return len(self.raw) - self.lookback

    def __getitem__(self, i):
        window = (self.raw[i:i + self.lookback] - self.mean) / self.std
        return window[:, None], self.raw[i + self.lookback]


class Forecaster(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.lstm = nn.LSTM(1, hidden, batch_first=True)
        self.fc = nn.Linear(hidden, 1)

    def forward(self, x):
        _, (h, _) = self.lstm(x)
        return self.fc(h[-1]).squeeze(1)


sales = daily_sales()
train, valid = Windows(sales[:720]), Windows(sales[700:])
model = Forecaster()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
mae = nn.L1Loss()
for epoch in range(15):
    model.train()
    run = 0.0
    loader = DataLoader(train, batch_size=32, shuffle=True)
    for x, y in loader:
        opt.zero_grad()
        loss = mae(model(x), y)
        loss.backward()
        opt.step()
        run += loss.item()
    model.eval()
    with torch.no_grad():
        v = np.mean([mae(model(x), y).item() for x, y in DataLoader(valid, batch_size=64)])
    print(f"epoch {epoch + 1:2d} train MAE {run / len(loader):9.2f} valid MAE {v:9.2f}")
