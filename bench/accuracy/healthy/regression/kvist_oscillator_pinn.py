# fault: none
# family: regression
# split: held
"""x'' + 0.4 x' + 4 x = 0 with x(0) = 1, x'(0) = 0, solved by a network."""
import math
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
C, K, END = 0.4, 4.0, 4.0


def exact(t):
    w = math.sqrt(K - C * C / 4)
    return torch.exp(-C * t / 2) * (torch.cos(w * t) + C / (2 * w) * torch.sin(w * t))


class Sine(nn.Module):
    def forward(self, v):
        return torch.sin(v)


u = nn.Sequential(nn.Linear(1, 32), Sine(), nn.Linear(32, 32), Sine(), nn.Linear(32, 1))
nn.init.uniform_(u[0].weight, -2, 2)


def x_of(t):
    return 1 + t * t * u(t)


opt = torch.optim.Adam(u.parameters(), lr=5e-3)
sched = torch.optim.lr_scheduler.ExponentialLR(opt, 0.9975)
grid = torch.linspace(0, END, 100)[:, None]
for step in range(1, 901):
    t = (END * torch.rand(64, 1)).requires_grad_()
    v = x_of(t)
    (d1,) = torch.autograd.grad(v.sum(), t, create_graph=True)
    (d2,) = torch.autograd.grad(d1.sum(), t, create_graph=True)
    loss = (d2 + C * d1 + K * v).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(u.parameters(), 1.0)
    opt.step()
    sched.step()
    if step % 150 == 0 or step == 1:
        with torch.no_grad():
            print(step, f"residual {loss.item():.5f} error {(x_of(grid) - exact(grid)).abs().max().item():.5f}")
