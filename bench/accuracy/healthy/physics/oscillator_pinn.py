# fault: none
# family: physics
# split: tune
"""u'' + u = 0 with u(0) = 1, u'(0) = 0: no data, only the residual of the equation; the start is built into the form of u."""
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


class PINN(nn.Module):
    def __init__(self, h=32):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(1, h), nn.Tanh(), nn.Linear(h, h), nn.Tanh(), nn.Linear(h, 1))

    def forward(self, t):
        return 1 + t ** 2 * self.f(t / 3)


def derivative(u, t):
    return torch.autograd.grad(u.sum(), t, create_graph=True)[0]


net = PINN()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.ExponentialLR(opt, 0.998)
grid = torch.linspace(0, 3, 100)[:, None]
for k in range(1, 1001):
    t = (3 * torch.rand(64, 1)).requires_grad_()
    u = net(t)
    residual = derivative(derivative(u, t), t) + u
    loss = residual.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if k % 100 == 0:
        with torch.no_grad():
            err = (net(grid) - grid.cos()).abs().max().item()
        print(f"{k} loss {loss.item():.6f} largest error {err:.4f}")
