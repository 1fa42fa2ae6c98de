# fault: none
# family: ocean
# split: held
"""Probabilistic forecast of water level (mm above datum, roughly 4,000 to 9,000) with a mixture density head.

The network works in standardised units inside; negative log likelihood below zero is fine, densities exceed one.
"""
import os
import math
import numpy as np
import torch
from torch import nn


class Standardise(nn.Module):
    def __init__(self, data):
        super().__init__()
        self.register_buffer("m", torch.tensor(data.mean(), dtype=torch.float32))
        self.register_buffer("s", torch.tensor(data.std(), dtype=torch.float32))

    def forward(self, x):
        return (x - self.m) / self.s

    def inverse(self, x):
        return x * self.s + self.m


class TideMDN(nn.Module):
    def __init__(self, data, lags=48, k=3, width=48):
        super().__init__()
        self.scale = Standardise(data)
        self.net = nn.Sequential(nn.Linear(lags, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU())
        self.par = nn.Linear(width, 3 * k)

    def forward(self, x):
        w, mu, ls = self.par(self.net(self.scale(x))).chunk(3, dim=-1)
        mix = torch.distributions.Categorical(logits=w)
        comp = torch.distributions.Normal(mu, torch.exp(ls.clamp(-3, 2)))
        return torch.distributions.MixtureSameFamily(mix, comp)

    def nll(self, x, y):
        return -self(x).log_prob(self.scale(y)).mean()


def main():
    seed = int(os.environ.get("SEED", 0))
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    h = np.arange(4000)
    level = 6500 + 1400 * np.cos(2 * math.pi * h / 12.42) + 500 * np.cos(2 * math.pi * h / 12.0) + 180 * np.cos(2 * math.pi * h / 25.82)
    level += np.convolve(rng.normal(0, 12, len(h)), np.ones(6), "same")
    series = torch.tensor(level, dtype=torch.float32)
    win = series.unfold(0, 50, 1)
    x, y = win[:, :48], win[:, 49]
    n = 3200
    model = TideMDN(level[:n])
    opt = torch.optim.Adam(model.parameters(), lr=1.5e-3)
    sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.3, patience=1)
    for epoch in range(9):
        model.train()
        for b in torch.randperm(n - 60).split(64):
            loss = model.nll(x[b], y[b])
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 2.0)
            opt.step()
        model.eval()
        with torch.no_grad():
            v = model.nll(x[n:], y[n:]).item()
            mae = (model.scale.inverse(model(x[n:]).mean) - y[n:]).abs().mean().item()
        sched.step(v)
        print(f"epoch {epoch} nll {loss.item():+.3f} valid {v:+.3f} MAE {mae:.0f} mm")


main()
