# fault: none
# family: flow
# split: held
"""RealNVP density of a narrow spiral; negative log likelihood falls below zero."""
import math
import os

import torch
from torch import nn


def spiral(n):
    t = torch.sqrt(torch.rand(n)) * 2 * math.pi
    return torch.stack([t.cos() * t, t.sin() * t], 1) / 6 + 0.02 * torch.randn(n, 2)


class Coupling(nn.Module):
    def __init__(self, flip, h=48):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(1, h), nn.SiLU(), nn.Linear(h, h), nn.SiLU(), nn.Linear(h, 2))
        nn.init.zeros_(self.net[-1].weight)  # identity at the start
        nn.init.zeros_(self.net[-1].bias)

    def forward(self, x):
        a, b = x.unbind(1)
        if self.flip:
            a, b = b, a
        s, t = self.net(a[:, None]).unbind(1)
        s = 2 * torch.tanh(s / 2)
        b = b * s.exp() + t
        return torch.stack((b, a) if self.flip else (a, b), 1), s


class Flow(nn.Module):
    def __init__(self, k=6):
        super().__init__()
        self.layers = nn.ModuleList(Coupling(bool(i % 2)) for i in range(k))
        self.log_scale = nn.Parameter(torch.zeros(2))

    def log_prob(self, x):
        z, logdet = x * self.log_scale.exp(), self.log_scale.sum()
        for l in self.layers:
            z, s = l(z)
            logdet = logdet + s
        return -0.5 * z.pow(2).sum(1) - math.log(2 * math.pi) + logdet


def main():
    torch.manual_seed(int(os.environ.get("SEED", "0")))
    flow, steps = Flow(), 450
    opt = torch.optim.Adam(flow.parameters(), lr=2.5e-3)
    sched = torch.optim.lr_scheduler.SequentialLR(
        opt, [torch.optim.lr_scheduler.LinearLR(opt, 0.1, total_iters=30),
              torch.optim.lr_scheduler.CosineAnnealingLR(opt, steps - 30)], milestones=[30])
    held = spiral(1000)
    for step in range(steps):
        loss = -flow.log_prob(spiral(128)).mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(flow.parameters(), 5.0)
        opt.step()
        sched.step()
        if step % 50 == 0 or step == steps - 1:
            with torch.no_grad():
                print(f"{step} nll {loss.item():.4f} held {-flow.log_prob(held).mean().item():.4f}")


main()
