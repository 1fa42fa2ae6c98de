# fault: none
# family: flow
# split: held
"""RealNVP in six dimensions; data with small noise, so the negative log-likelihood falls below zero."""
import math
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
D = 6
MIX = torch.randn(2, D)


def data(n):
    z = torch.rand(n, 2) * 2 - 1
    x = torch.tanh(z @ MIX)
    return x + 0.05 * torch.randn(n, D)


class Coupling(nn.Module):
    def __init__(self, flip, h=48):
        super().__init__()
        m = (torch.arange(D) % 2 == int(flip)).float()
        self.register_buffer("m", m)
        self.net = nn.Sequential(nn.Linear(D, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU(), nn.Linear(h, 2 * D))
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)

    def forward(self, x):
        s, t = self.net(x * self.m).chunk(2, 1)
        s = 2 * torch.tanh(s / 2) * (1 - self.m)
        return x * self.m + (1 - self.m) * (x * s.exp() + t), s.sum(1)


class Flow(nn.Module):
    def __init__(self, layers=6):
        super().__init__()
        self.layers = nn.ModuleList(Coupling(i % 2) for i in range(layers))

    def nll(self, x):
        ld = 0
        for l in self.layers:
            x, d = l(x)
            ld = ld + d
        return (0.5 * (x * x).sum(1) + 0.5 * D * math.log(2 * math.pi) - ld).mean()


flow, val = Flow(), data(1000)
opt = torch.optim.Adam(flow.parameters(), lr=2e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 450)
for i in range(1, 451):
    loss = flow.nll(data(128))
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(flow.parameters(), 5.0)
    opt.step()
    sched.step()
    if i % 75 == 0:
        with torch.no_grad():
            print(f"{i} train {loss.item():.3f} val {flow.nll(val).item():.3f}")
