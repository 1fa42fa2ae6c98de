# fault: none
# family: meta
# split: held
"""Reptile on random sine waves: a few steps per task on a copy, then a step towards the copy."""
import copy
import math
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Wave:
    def __init__(self):
        self.a, self.p = 0.5 + 1.5 * torch.rand(1), math.pi * torch.rand(1)

    def sample(self, n):
        x = torch.rand(n, 1) * 6 - 3
        return x, self.a * torch.sin(x + self.p)


def adapt(model, x, y, steps, lr):
    fast = copy.deepcopy(model)
    opt = torch.optim.SGD(fast.parameters(), lr=lr)
    for _ in range(steps):
        loss = nn.functional.mse_loss(fast(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return fast, loss.item()


def few_shot_error(model, tasks=20):
    out = 0.0
    for _ in range(tasks):
        w = Wave()
        fast, _ = adapt(model, *w.sample(10), steps=8, lr=0.05)
        with torch.no_grad():
            x, y = w.sample(60)
            out += nn.functional.mse_loss(fast(x), y).item() / tasks
    return out


meta = nn.Sequential(nn.Linear(1, 40), nn.Tanh(), nn.Linear(40, 40), nn.Tanh(), nn.Linear(40, 1))
outer = torch.optim.SGD(meta.parameters(), lr=0.5)
iters = 250
print(f"before: {few_shot_error(meta):.3f}")
for it in range(iters):
    for g in outer.param_groups:
        g["lr"] = 0.5 * (1 - it / iters)
    fast, inner = adapt(meta, *Wave().sample(20), steps=6, lr=0.05)
    outer.zero_grad()
    for p, q in zip(meta.parameters(), fast.parameters()):
        p.grad = (p - q).detach()
    outer.step()
    if (it + 1) % 50 == 0:
        print(f"{it + 1}: inner {inner:.3f} few-shot error {few_shot_error(meta):.3f}")
