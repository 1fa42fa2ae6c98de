# fault: none
# family: physics
# split: tune
# A neural ODE: one small net called forty times per forward by a Runge-Kutta loop.
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 2))

    def forward(self, y):
        return self.net(y)


def solve(f, y, steps, h=0.15):
    path = [y]
    for _ in range(steps):
        k1 = f(y)
        k2 = f(y + h * k1 / 2)
        k3 = f(y + h * k2 / 2)
        k4 = f(y + h * k3)
        y = y + h * (k1 + 2 * k2 + 2 * k3 + k4) / 6
        path.append(y)
    return torch.stack(path)


def true_field(y):
    return torch.stack([y[:, 1], -torch.sin(y[:, 0]) - 0.1 * y[:, 1]], 1)


func = Field()
opt = torch.optim.Adam(func.parameters(), lr=1e-2)
log = []
for step in range(120):
    y0 = torch.rand(24, 2) * 3 - 1.5
    with torch.no_grad():
        truth = solve(true_field, y0, 10)
    loss = (solve(func, y0, 10) - truth).abs().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    log.append(loss.item())
print(f"loss first {log[0]:.4f} last {log[-1]:.4f}")
