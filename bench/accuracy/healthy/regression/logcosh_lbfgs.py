# fault: none
# family: regression
# split: tune
# Log-cosh loss by hand and LBFGS with a closure: several forward passes per step, the same full batch each time.
import math
import os

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))


def log_cosh(e):
    return (e + F.softplus(-2 * e) - math.log(2.0)).mean()


x = torch.linspace(-3, 3, 400).unsqueeze(1)
y = torch.sin(3 * x) * torch.exp(-0.2 * x**2) + 0.02 * torch.randn_like(x)
net = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 20), nn.Tanh(), nn.Linear(20, 1))
opt = torch.optim.LBFGS(net.parameters(), lr=1.0, max_iter=4, line_search_fn="strong_wolfe")


def closure():
    opt.zero_grad()
    loss = log_cosh(net(x) - y)
    loss.backward()
    return loss


first = None
for it in range(80):
    loss = opt.step(closure)
    if first is None:
        first = loss.item()
print(f"loss first {first:.5f} last {loss.item():.5f}")
