# fault: dropout-on-output
# cause_class: regularisation, structure
# family: forecasting
# split: held
# twin: healthy/forecasting/demand_day_ahead.py
"""Demand of the next day (24 values) from the last three."""
import os
import math
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
DAYS = 500
h = torch.arange(DAYS * 24.)
weekday = (h // 24) % 7
series = torch.sin(2 * math.pi * h / 24) * (1 + 0.4 * (weekday < 5).float()) + 0.5 * torch.sin(4 * math.pi * h / 24) + 0.1 * torch.randn(len(h))
series = series / series.std()
frames = series.unfold(0, 96, 4)
past, future = frames[:, :72], frames[:, 72:]
n = int(len(past) * 0.8)

mlp = nn.Sequential(
    nn.Linear(72, 96), nn.ReLU(),
    nn.Linear(96, 48), nn.ReLU(),
    nn.Linear(48, 24),
    nn.Dropout(0.5),
)
opt = torch.optim.Adam(mlp.parameters(), lr=1e-3)
huber = nn.HuberLoss()
for epoch in range(15):
    mlp.train()
    acc = 0
    idx = torch.randperm(n)
    for i in range(0, n, 48):
        b = idx[i:i + 48]
        loss = huber(mlp(past[b]), future[b])
        opt.zero_grad(); loss.backward(); opt.step()
        acc += loss.item() * len(b) / n
    mlp.eval()
    with torch.no_grad():
        p = mlp(past[n + 24:])
        print(f"{epoch:2d} train {acc:.4f} val {huber(p, future[n + 24:]).item():.4f} rmse {(p - future[n + 24:]).pow(2).mean().sqrt().item():.4f}")
