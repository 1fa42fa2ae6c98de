# fault: none
# family: physics
# split: tune
# A physics-informed net: Adam first, then LBFGS, always the same points, derivatives by autograd.
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", "0")))

net = nn.Sequential(nn.Linear(1, 24), nn.Tanh(), nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, 1))
t = torch.linspace(0, 3, 60).unsqueeze(1).requires_grad_(True)
t0 = torch.zeros(1, 1, requires_grad=True)


def derivative(y, x):
    return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]


def residual():
    # u'' + 0.4 u' + 4 u = 0, u(0) = 1, u'(0) = 0
    u = net(t)
    du = derivative(u, t)
    ode = derivative(du, t) + 0.4 * du + 4 * u
    u0 = net(t0)
    return ode.pow(2).mean() + 10 * (u0 - 1).pow(2).mean() + derivative(u0, t0).pow(2).mean()


history = []
adam = torch.optim.Adam(net.parameters(), lr=5e-3)
for step in range(150):
    adam.zero_grad()
    loss = residual()
    loss.backward()
    adam.step()
    history.append(loss.item())

lbfgs = torch.optim.LBFGS(net.parameters(), max_iter=5, line_search_fn="strong_wolfe")


def closure():
    lbfgs.zero_grad()
    loss = residual()
    loss.backward()
    return loss


for step in range(50):
    history.append(lbfgs.step(closure).item())
print(f"loss first {history[0]:.4f} last {history[-1]:.6f}")
