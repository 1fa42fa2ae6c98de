# fault: none
# family: forecasting
# split: held
"""The next five half-hours of a (standardised) load curve."""
import os
import math
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))

t = torch.arange(4000.)
load = torch.sin(2 * math.pi * t / 48) + 0.4 * torch.sin(2 * math.pi * t / 336 + 1) + 0.1 * torch.randn(4000)
load = (load - load.mean()) / load.std()
win = load.unfold(0, 53, 1)
x, y = win[:, :48], win[:, 48:]
x_tr, y_tr, x_te, y_te = x[:3000], y[:3000], x[3060:], y[3060:]


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(1, 16, 5, padding=2), nn.ReLU(), nn.Conv1d(16, 16, 5, padding=2, stride=2), nn.ReLU())
        self.head = nn.Linear(16 * 24, 5)

    def forward(self, x):
        return self.head(self.conv(x.unsqueeze(1)).flatten(1))


model = Forecaster()
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(8):
    losses = []
    for idx in torch.randperm(3000).split(50):
        optimizer.zero_grad()
        loss = criterion(model(x_tr[idx]), y_tr[idx])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    with torch.no_grad():
        p = model(x_te)
        print(f"epoch {epoch} train {sum(losses) / len(losses):.4f} test {criterion(p, y_te).item():.4f} rmse {((p - y_te) ** 2).mean().sqrt().item():.4f}")
