# fault: none
# family: pinn
# split: tune
"""Physics-informed net for a damped oscillator u'' + 0.4 u' + 4 u = 0, u(0)=1, u'(0)=0. There are no data."""
import math
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
D, K, T_END = 0.4, 4.0, 4.0


def exact(t):
    w = math.sqrt(K - D * D / 4)
    return torch.exp(-D / 2 * t) * (torch.cos(w * t) + D / 2 / w * torch.sin(w * t))


class PINN(nn.Module):
    def __init__(self, h=32):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, h), nn.Tanh(), nn.Linear(h, h), nn.Tanh(), nn.Linear(h, 1))

    def forward(self, t):
        return self.net(t - T_END / 2)


def grad(y, x):
    return torch.autograd.grad(y.sum(), x, create_graph=True)[0]


u = PINN()
opt = torch.optim.Adam(u.parameters(), lr=5e-3)
sched = torch.optim.lr_scheduler.MultiStepLR(opt, [900, 1400], gamma=0.3)
grid = torch.linspace(0, T_END, 200)[:, None]
for step in range(1, 1801):
    t = (torch.rand(48, 1) * T_END).requires_grad_()
    f = u(t)
    df = grad(f, t)
    residual = grad(df, t) + D * df + K * f
    t0 = torch.zeros(1, 1, requires_grad=True)
    f0 = u(t0)
    loss = residual.pow(2).mean() + 10 * (f0 - 1).pow(2).mean() + 10 * grad(f0, t0).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if step % 200 == 0:
        with torch.no_grad():
            print(f"{step} loss {loss.item():.5f} error against the solution {(u(grid) - exact(grid)).abs().max():.4f}")
