# fault: none
# family: meta
# split: tune
# MAML on sine waves: an inner step by functional calls, the outer gradient through it.
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call

torch.manual_seed(int(os.environ.get("SEED", "0")))

model = nn.Sequential(nn.Linear(1, 40), nn.Tanh(), nn.Linear(40, 40), nn.Tanh(), nn.Linear(40, 1))
outer = torch.optim.Adam(model.parameters(), lr=3e-3)


def new_task():
    amp, phase = 0.5 + 2 * torch.rand(()), 3.14 * torch.rand(())
    x = torch.rand(20, 1) * 6 - 3
    y = amp * torch.sin(x + phase)
    return x[:10], y[:10], x[10:], y[10:]


def adapted_loss(task, lr=0.05, inner_steps=2):
    xs, ys, xq, yq = task
    fast = dict(model.named_parameters())
    for _ in range(inner_steps):
        loss = F.mse_loss(functional_call(model, fast, (xs,)), ys)
        grads = torch.autograd.grad(loss, list(fast.values()), create_graph=True)
        fast = {k: p - lr * g for (k, p), g in zip(fast.items(), grads)}
    return F.mse_loss(functional_call(model, fast, (xq,)), yq)


curve = []
for it in range(150):
    outer.zero_grad()
    loss = sum(adapted_loss(new_task()) for _ in range(4)) / 4
    loss.backward()
    outer.step()
    curve.append(loss.item())
print(f"loss first {sum(curve[:10]) / 10:.4f} last {sum(curve[-10:]) / 10:.4f}")
