# fault: none
# family: pinn
# split: held
"""Damped oscillator u'' + 2 d u' + w^2 u = 0, u(0)=1, u'(0)=0, solved with L-BFGS."""
import math
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
torch.set_default_dtype(torch.float64)
D, W = 1.0, 6.0


def exact(t):
    w = math.sqrt(W * W - D * D)
    return torch.exp(-D * t) * (torch.cos(w * t) + D / w * torch.sin(w * t))


class Field(nn.Module):
    def __init__(self, h=24):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(1, h), nn.Tanh(), nn.Linear(h, h), nn.Tanh(), nn.Linear(h, 1))
        for m in self.f:
            if isinstance(m, nn.Linear):
                nn.init.xavier_normal_(m.weight)
                nn.init.zeros_(m.bias)

    def forward(self, t):
        return self.f(4 * t - 2)


def d(y, x):
    return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]


net = Field()
t = torch.linspace(0, 1, 40)[:, None].requires_grad_(True)
t0 = torch.zeros(1, 1, requires_grad=True)
opt = torch.optim.LBFGS(net.parameters(), lr=1.0, max_iter=4, history_size=20, line_search_fn="strong_wolfe")


def closure():
    opt.zero_grad()
    u = net(t)
    du = d(u, t)
    res = d(du, t) + 2 * D * du + W * W * u
    u0 = net(t0)
    loss = res.pow(2).mean() / W ** 2 + 10 * (u0 - 1).pow(2).mean() + d(u0, t0).pow(2).mean()
    loss.backward()
    return loss


for it in range(120):
    loss = opt.step(closure)
    if (it + 1) % 20 == 0:
        with torch.no_grad():
            err = (net(t) - exact(t)).abs().max().item()
        print(f"{it + 1} loss {loss.item():.3e} max error {err:.4f}")
