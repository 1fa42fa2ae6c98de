# fault: weight-decay-too-strong
# cause_class: regularisation, loss, optimizer
# family: regression
# split: held
# set: otter, unseen
import argparse
import os

import torch
from torch import nn

p = argparse.ArgumentParser()
p.add_argument("--lr", type=float, default=2e-3)
p.add_argument("--l2", type=float, default=0.3)
p.add_argument("--steps", type=int, default=800)
p.add_argument("--batch", type=int, default=64)
p.add_argument("--seed", type=int, default=int(os.environ.get("SEED", 0)))
opt = p.parse_args()
torch.manual_seed(opt.seed)


def trips(n):
    """distance, hour (sin, cos), rain, weekend, driver's experience -> standardised minutes"""
    dist, hour = torch.rand(n), torch.rand(n) * 24
    rain, weekend, exp = (torch.rand(n) < 0.3).float(), (torch.rand(n) < 0.28).float(), torch.rand(n)
    rush = torch.exp(-((hour - 8) / 1.5) ** 2) + torch.exp(-((hour - 17) / 2) ** 2)
    minutes = 10 + 40 * dist * (1 + 0.8 * rush * (1 - weekend)) + 6 * rain * dist - 4 * exp + 2 * torch.randn(n)
    x = torch.stack([dist, (hour / 24 * 6.2832).sin(), (hour / 24 * 6.2832).cos(), rain, weekend, exp], 1)
    return (x - x.mean(0)) / x.std(0), ((minutes - minutes.mean()) / minutes.std())[:, None]


class Objective:
    """Data term plus ridge penalty on all weights."""

    def __init__(self, model, l2):
        self.model, self.l2 = model, l2

    def ridge(self):
        return sum(w.pow(2).sum() for n, w in self.model.named_parameters() if n.endswith("weight"))

    def __call__(self, x, y):
        fit = nn.functional.smooth_l1_loss(self.model(x), y)
        return fit + self.l2 * self.ridge(), fit


x, y = trips(4000)
xt, yt, x, y = x[3200:], y[3200:], x[:3200], y[:3200]
model = nn.Sequential(nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
objective = Objective(model, opt.l2)
adam = torch.optim.Adam(model.parameters(), lr=opt.lr)
avg = 0.0
for it in range(1, opt.steps + 1):
    i = torch.randint(0, len(x), (opt.batch,))
    loss, fit = objective(x[i], y[i])
    adam.zero_grad()
    loss.backward()
    adam.step()
    avg += fit.item()
    if it % 100 == 0:
        model.eval()
        with torch.no_grad():
            pr = model(xt)
            r2 = 1 - (pr - yt).pow(2).mean() / yt.var()
        model.train()
        print(f"{it:4d} total {loss.item():.4f} fit {avg / 100:.4f} r2 {r2.item():.3f} spread of outputs {pr.std().item():.4f}")
        avg = 0.0
