# fault: none
# family: timeseries
# split: tune
"""Pressure of a pump in the next minute, from the last half hour."""
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))

HISTORY = 30


def recording(minutes=4000):
    t = torch.arange(minutes) / 60
    drift = torch.cumsum(0.05 * torch.randn(minutes), 0)
    return torch.sin(2 * t) + 0.4 * torch.sin(11 * t) + drift + 0.3 * torch.randn(minutes)


def windows(series):
    view = series.unfold(0, HISTORY + 1, 1)
    return view[:, :-1], view[:, -1:]


series = recording()
series = (series - series.mean()) / series.std()
x, y = windows(series[:3200])
x_later, y_later = windows(series[3200:])

model = nn.Sequential(nn.Linear(HISTORY, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
loss_fn = nn.MSELoss()

for epoch in range(8):
    order = torch.randperm(len(x))
    for rows in order.split(64):
        optimizer.zero_grad()
        loss = loss_fn(model(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        later = loss_fn(model(x_later), y_later).item()
    model.train()
    print(f"epoch {epoch} loss {loss.item():.4f} later {later:.4f}")
