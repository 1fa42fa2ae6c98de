# fault: init-too-large
# cause_class: initialisation
# family: implicit
# split: tune
"""Fit a chirp with a sinusoidal representation network."""
import math
import os

import torch
from torch import nn


class SineLayer(nn.Module):
    def __init__(self, i, o, omega=30.0, first=False):
        super().__init__()
        self.omega = omega
        self.linear = nn.Linear(i, o)
        bound = 1 / i if first else math.sqrt(6 / i)
        nn.init.uniform_(self.linear.weight, -bound, bound)

    def forward(self, x):
        return torch.sin(self.omega * self.linear(x))


class Siren(nn.Module):
    def __init__(self, hidden=64, layers=3, omega=30.0):
        super().__init__()
        mods = [SineLayer(1, hidden, omega, first=True)]
        mods += [SineLayer(hidden, hidden, omega) for _ in range(layers - 1)]
        self.body = nn.Sequential(*mods)
        self.out = nn.Linear(hidden, 1)
        b = math.sqrt(6 / hidden) / omega
        nn.init.uniform_(self.out.weight, -b, b)
        nn.init.zeros_(self.out.bias)

    def forward(self, t):
        return self.out(self.body(t))


def chirp(t):
    return torch.sin(2 * math.pi * (3 * t + 4 * t.pow(2))) * torch.exp(-t.pow(2))


def main():
    torch.manual_seed(int(os.environ.get("SEED", "0")))
    t = torch.linspace(-1, 1, 2001)[:, None]
    y = chirp(t)
    held = torch.zeros(len(t), dtype=torch.bool)
    held[::4] = True
    ttr, ytr, tva, yva = t[~held], y[~held], t[held], y[held]
    net = Siren()
    opt = torch.optim.Adam(net.parameters(), lr=1e-4)
    for step in range(1000):
        idx = torch.randint(0, len(ttr), (256,))
        loss = (net(ttr[idx]) - ytr[idx]).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 100 == 0 or step == 999:
            with torch.no_grad():
                v = (net(tva) - yva).square().mean()
            print(f"{step:5d} mse {loss.item():.5f} between samples {v.item():.5f} psnr {-10 * v.log10().item():.1f}")


main()
