# fault: none
# family: regression
# split: held
"""Calibration curve of a sensor with L-BFGS on the whole data set."""
import os

import torch
from torch import nn

SEED = int(os.environ.get("SEED", "0"))
torch.manual_seed(SEED)
torch.set_default_dtype(torch.float64)


class Calibration(nn.Module):
    def __init__(self, hidden=10):
        super().__init__()
        self.a = nn.Linear(2, hidden)
        self.b = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.b(torch.tanh(self.a(x))).squeeze(-1)


def measure(n):
    raw, temp = 2 * torch.rand(n) - 1, 2 * torch.rand(n) - 1
    y = torch.atan(3 * raw) + 0.3 * temp * raw + 0.1 * temp ** 2
    return torch.stack([raw, temp], 1), y + 0.02 * torch.randn(n)


x, y = measure(600)
xv, yv = measure(300)
model = Calibration()
optimizer = torch.optim.LBFGS(model.parameters(), lr=1.0, max_iter=5, history_size=20, line_search_fn="strong_wolfe")
calls = 0


def closure():
    global calls
    calls += 1
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y) + 1e-6 * sum(p.pow(2).sum() for p in model.parameters())
    loss.backward()
    return loss


for it in range(80):
    loss = optimizer.step(closure)
    if it % 10 == 0 or it == 79:
        with torch.no_grad():
            print(f"iteration {it} calls {calls} loss {loss.item():.6f} valid mse {nn.functional.mse_loss(model(xv), yv).item():.6f}")
