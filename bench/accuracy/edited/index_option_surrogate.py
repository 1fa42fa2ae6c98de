# fault: none
# family: tabular
# split: held
# set: vole, unseen
"""Neural surrogate for the index option desk: learns the pricer so that the risk run does not call it 10^6 times.

Inputs per contract: spot, strike, time to expiry, rate, vol, dividend yield.  Target: premium in index points.
"""
import math
import os
import random
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn


@dataclass
class Cfg:
    n_train: int = 6144
    n_test: int = 1024
    width: int = 64
    depth: int = 3
    batch: int = 128
    epochs: int = 12
    lr: float = 2e-3
    seed: int = int(os.environ.get("SEED", 0))


def norm_cdf(x):
    return 0.5 * (1.0 + torch.erf(x / math.sqrt(2.0)))


def make_contracts(n, gen):
    u = torch.rand(n, 5, generator=gen)
    spot = 3600 + 800 * u[:, 0]
    strike = spot * (0.8 + 0.4 * u[:, 1])
    t = 0.05 + 1.5 * u[:, 2]
    rate = 0.01 + 0.04 * u[:, 3]
    vol = 0.10 + 0.35 * u[:, 4]
    div = torch.zeros(n)  # total return index, kept because the single stocks have it
    d1 = (torch.log(spot / strike) + (rate - div + 0.5 * vol ** 2) * t) / (vol * t.sqrt())
    d2 = d1 - vol * t.sqrt()
    price = spot * torch.exp(-div * t) * norm_cdf(d1) - strike * torch.exp(-rate * t) * norm_cdf(d2)
    return torch.stack([spot, strike, t, rate, vol, div], 1), price


class Pricer(nn.Module):
    def __init__(self, n_in, width, depth):
        super().__init__()
        self.inp = nn.Linear(n_in, width)
        self.hidden = nn.ModuleList([nn.Linear(width, width) for _ in range(depth - 1)])
        self.out = nn.Linear(width, 1)
        self.act = nn.SiLU()

    def forward(self, x):
        h = self.act(self.inp(x))
        for layer in self.hidden:
            h = self.act(layer(h))
        return self.out(h).squeeze(-1)


class Standard:
    def __init__(self, a):
        self.mean = a.mean(0)
        self.std = a.std(0).clamp_min(1e-6)

    def fwd(self, a):
        return (a - self.mean) / self.std

    def inv(self, a):
        return a * self.std + self.mean


def main(cfg):
    random.seed(cfg.seed)
    np.random.seed(cfg.seed)
    torch.manual_seed(cfg.seed)
    gen = torch.Generator().manual_seed(cfg.seed + 1)
    x_tr, y_tr = make_contracts(cfg.n_train, gen)
    x_te, y_te = make_contracts(cfg.n_test, gen)
    xs, ys = Standard(x_tr), Standard(y_tr)
    xn, yn = xs.fwd(x_tr), ys.fwd(y_tr)

    model = Pricer(x_tr.shape[1], cfg.width, cfg.depth)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=cfg.epochs, eta_min=1e-5)
    loss_fn = nn.MSELoss()

    for ep in range(cfg.epochs):
        model.train()
        perm = torch.randperm(cfg.n_train)
        running = 0.0
        for i in range(0, cfg.n_train, cfg.batch):
            idx = perm[i:i + cfg.batch]
            xb, yb = xn[idx], yn[idx]
            pred = model(xb)
            loss = loss_fn(pred, yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
            running += loss.item() * len(idx)
        sched.step()
        if ep % 3 == 2:
            print(f"epoch {ep + 1:3d}  mse {running / cfg.n_train:.5f}")

    model.eval()
    with torch.no_grad():
        pred = ys.inv(model(xs.fwd(x_te)))
    rmse = (pred - y_te).pow(2).mean().sqrt().item()
    print(f"premium std {y_te.std():.1f} pts, rmse {rmse:.2f} pts, worst {(pred - y_te).abs().max():.2f}")
    print(f"METRIC test_rmse {rmse:.4f}")


if __name__ == "__main__":
    main(Cfg())
