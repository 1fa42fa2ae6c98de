"""Forecasts the next twelve hours of a tide gauge from the last three days."""
import time

import numpy as np
import torch
import torch.nn as nn

SETTINGS = {
    "history": 72,
    "horizon": 12,
    "batch_size": 128,
    "epochs": 3,
    "width": 512,
    "blocks": 3,
    "lr": 1e-3,
    "dtype": torch.float32,
}
torch.manual_seed(0)
torch.set_default_dtype(SETTINGS["dtype"])


def gauge(hours, rng):
    """The four largest constituents, weather as a slow random walk that comes back, and noise."""
    t = np.arange(hours)
    level = np.zeros(hours)
    for period, height in ((12.4206, 1.9), (12.0, 0.65), (23.9345, 0.3), (25.8193, 0.2)):
        level += height * np.cos(2 * np.pi * t / period + rng.uniform(0, 6.28))
    surge = np.zeros(hours)
    for i in range(1, hours):
        surge[i] = 0.97 * surge[i - 1] + 0.06 * rng.standard_normal()
    return level + surge + 0.02 * rng.standard_normal(hours)


class Block(nn.Module):
    """A block of N-BEATS: what it explains is taken from what is left to explain."""

    def __init__(self, history, horizon, width):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(history, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        )
        self.back = nn.Linear(width, history)
        self.ahead = nn.Linear(width, horizon)

    def forward(self, x):
        h = self.body(x)
        return x - self.back(h), self.ahead(h)


class Forecaster(nn.Module):
    def __init__(self, history, horizon, width, blocks):
        super().__init__()
        self.blocks = nn.ModuleList(Block(history, horizon, width) for _ in range(blocks))

    def forward(self, x):
        answer = 0
        for block in self.blocks:
            x, part = block(x)
            answer = answer + part
        return answer


series = torch.tensor(gauge(22_000, np.random.default_rng(4)), dtype=SETTINGS["dtype"])
windows = series.unfold(0, SETTINGS["history"] + SETTINGS["horizon"], 1)
train, test = windows[:19_000], windows[19_100:]

model = Forecaster(SETTINGS["history"], SETTINGS["horizon"], SETTINGS["width"], SETTINGS["blocks"])
optimizer = torch.optim.Adam(model.parameters(), lr=SETTINGS["lr"])
loss_fn = nn.SmoothL1Loss()
history = SETTINGS["history"]
start = time.time()
for epoch in range(SETTINGS["epochs"]):
    total = 0.0
    batches = torch.randperm(len(train)).split(SETTINGS["batch_size"])
    for idx in batches:
        w = train[idx]
        optimizer.zero_grad()
        loss = loss_fn(model(w[:, :history]), w[:, history:])
        loss.backward()
        optimizer.step()
        total += loss.item()
    with torch.no_grad():
        rmse = (model(test[:, :history]) - test[:, history:]).square().mean().sqrt().item()
    print(f"epoch {epoch + 1}: loss {total / len(batches):.5f}  test rmse {rmse:.4f} m")
print(f"{time.time() - start:.1f} seconds")
