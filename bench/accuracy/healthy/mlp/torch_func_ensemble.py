# fault: none
# family: mlp
# split: tune
# Functional style: an ensemble of eight nets trained at once with torch.func, no backward() and no optimiser.
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call, grad_and_value, stack_module_state, vmap

torch.manual_seed(int(os.environ.get("SEED", "0")))


def make():
    return nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, 3))


nets = [make() for _ in range(8)]
params, buffers = stack_module_state(nets)
params = {k: v.detach() for k, v in params.items()}
base = make().to("meta")


def loss_fn(p, b, x, y):
    return F.cross_entropy(functional_call(base, (p, b), (x,)), y)


x = torch.randn(1500, 6)
y = (x @ torch.randn(6, 3)).argmax(1)
step_fn = vmap(grad_and_value(loss_fn), in_dims=(0, 0, None, None))
values = []
for step in range(200):
    i = torch.randint(0, 1500, (64,))
    grads, losses = step_fn(params, buffers, x[i], y[i])
    params = {k: params[k] - 0.5 * grads[k] for k in params}
    values.append(losses.mean().item())
print(f"loss first {values[0]:.4f} last {values[-1]:.4f}")
