# fault: no-gradient
# cause_class: not-updated, loss, structure
# family: physics
# split: tune
"""Newton's law of cooling, u' = -2 u with u(0) = 1."""
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
net = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)


def physics(n=64):
    t = torch.rand(n, 1, requires_grad=True)
    u = net(t)
    du = torch.autograd.grad(u.sum(), t)[0]
    return (du + 2 * torch.exp(-2 * t.detach())).pow(2).mean()


def start():
    return (net(torch.zeros(1, 1)) - 1).pow(2).mean()


for it in range(400):
    loss = start() + 0.1 * physics()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 80 == 79:
        with torch.no_grad():
            t = torch.linspace(0, 1, 50)[:, None]
            off = (net(t) - torch.exp(-2 * t)).abs().max()
        print(f"{it + 1} loss {loss.item():.4f} farthest from the solution {off:.3f}")
