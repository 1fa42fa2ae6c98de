# fault: none
# family: physics
# split: held
"""1-d Poisson problem u'' = f with hard boundary conditions, torch.func derivatives, L-BFGS."""
import math
import os

import torch
from torch import nn
from torch.func import functional_call, grad, vmap

torch.manual_seed(int(os.environ.get("SEED", "0")))

net = nn.Sequential(nn.Linear(1, 24), nn.Tanh(), nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, 1))


def u(params, x):
    """Vanishes at 0 and 1 whatever the network says."""
    raw = functional_call(net, params, (2 * x.reshape(1, 1) - 1,))
    return (x * (1 - x) * raw).squeeze()


def source(x):
    return -(math.pi ** 2) * torch.sin(math.pi * x) - 4 * math.pi ** 2 * torch.sin(2 * math.pi * x)


def exact(x):
    return torch.sin(math.pi * x) + torch.sin(2 * math.pi * x)


u_xx = vmap(grad(grad(u, argnums=1), argnums=1), in_dims=(None, 0))
u_all = vmap(u, in_dims=(None, 0))
points = (torch.arange(64) + 0.5) / 64
scale = source(points).std()


def closure():
    opt.zero_grad()
    params = dict(net.named_parameters())
    loss = ((u_xx(params, points) - source(points)) / scale).pow(2).mean()
    loss.backward()
    return loss


opt = torch.optim.LBFGS(net.parameters(), lr=1.0, max_iter=5, history_size=20, line_search_fn="strong_wolfe")
test = torch.rand(200)
for it in range(60):
    loss = opt.step(closure)
    if it % 10 == 0 or it == 59:
        with torch.no_grad():
            err = (u_all(dict(net.named_parameters()), test) - exact(test)).abs().max()
        print(f"it {it:3d} residual {loss.item():.3e} max error {err.item():.3e}")
