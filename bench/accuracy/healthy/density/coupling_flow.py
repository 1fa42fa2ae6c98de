# fault: none
# family: density
# split: tune
"""A small RealNVP; in tight data the negative log-likelihood goes below zero."""
import math
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


def spiral(n):
    t = torch.rand(n) * 2.5 + 0.5
    return 0.4 * torch.stack([t * torch.cos(2 * t), t * torch.sin(2 * t)], 1) + 0.02 * torch.randn(n, 2)


class Coupling(nn.Module):
    def __init__(self, flip):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(1, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 2))
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)

    def forward(self, x):
        a, b = x[:, :1], x[:, 1:]
        if self.flip:
            a, b = b, a
        s, t = self.net(a).chunk(2, 1)
        s = 2 * torch.tanh(s)
        b = b * s.exp() + t
        return (torch.cat([b, a], 1) if self.flip else torch.cat([a, b], 1)), s.squeeze(1)


class Flow(nn.Module):
    def __init__(self, n=8):
        super().__init__()
        self.layers = nn.ModuleList(Coupling(i % 2 == 1) for i in range(n))

    def log_prob(self, x):
        logdet = 0.0
        for l in self.layers:
            x, d = l(x)
            logdet = logdet + d
        return -0.5 * (x ** 2).sum(1) - math.log(2 * math.pi) + logdet


flow = Flow()
opt = torch.optim.Adam(flow.parameters(), lr=2e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 350)
held_out = spiral(1000)
for i in range(350):
    loss = -flow.log_prob(spiral(128)).mean()
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(flow.parameters(), 5.0)
    opt.step()
    sched.step()
    if i % 50 == 49:
        with torch.no_grad():
            print(i + 1, f"nll {loss.item():.3f} held out {-flow.log_prob(held_out).mean():.3f}")
