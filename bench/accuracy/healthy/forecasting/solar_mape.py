# fault: none
# family: forecasting
# split: held
"""Hourly output of a solar plant, six hours ahead."""
import math
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))

hours = torch.arange(24 * 220.)
clouds = 0.75 + 0.25 * torch.sin(hours / 60) + 0.03 * torch.randn(len(hours))
power = torch.relu(torch.sin(2 * math.pi * (hours % 24) / 24 - math.pi / 2)) * clouds
WINDOW, AHEAD = 48, 6

windows = power.unfold(0, WINDOW + AHEAD, 1)
x, y = windows[:, :WINDOW], windows[:, -1]
cut = int(0.8 * len(x))
train = DataLoader(TensorDataset(x[:cut], y[:cut]), batch_size=64, shuffle=True)


def percentage_error(pred, target):
    return ((pred - target).abs() / (target.abs() + 0.2)).mean()


net = nn.Sequential(nn.Linear(WINDOW, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(12):
    net.train()
    total = 0.0
    for xb, yb in train:
        loss = percentage_error(net(xb).squeeze(1), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    net.eval()
    with torch.no_grad():
        p = net(x[cut:]).squeeze(1)
        val = percentage_error(p, y[cut:]).item()
        mae = (p - y[cut:]).abs().mean().item()
    print(f"epoch {epoch:2d}  train {total / len(train):.4f}  val {val:.4f}  mae {mae:.4f}")
