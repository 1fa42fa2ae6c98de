# fault: none
# family: generative
# split: tune
# RealNVP: the negative log-likelihood is a density's and falls below zero.
import math
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


class Coupling(nn.Module):
    def __init__(self, flip):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 2))
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)

    def forward(self, x):
        a, b = x.chunk(2, 1)
        if self.flip:
            a, b = b, a
        s, t = self.net(a).chunk(2, 1)
        s = 2 * torch.tanh(s)
        b = b * s.exp() + t
        return torch.cat([b, a] if self.flip else [a, b], 1), s.squeeze(1)


class Flow(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.layers = nn.ModuleList(Coupling(k % 2 == 1) for k in range(n))

    def log_prob(self, x):
        logdet = 0
        for layer in self.layers:
            x, ld = layer(x)
            logdet = logdet + ld
        return -0.5 * (x**2).sum(1) - math.log(2 * math.pi) + logdet

    forward = log_prob


def sample(n):
    x = 0.3 * torch.randn(n)
    return torch.stack([x, 2 * x**2 - 0.2 + 0.02 * torch.randn(n)], 1)


flow = Flow(6)
opt = torch.optim.Adam(flow.parameters(), lr=5e-3)
nll = []
for step in range(250):
    loss = -flow(sample(128)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    nll.append(loss.item())
print(f"loss first {nll[0]:.4f} last {nll[-1]:.4f}")
