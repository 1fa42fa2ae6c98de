# fault: detached-mid-network
# cause_class: not-updated, structure, loss
# family: physics
# split: tune
# set: swan, unseen
"""PINN for a driven first-order relaxation: u' = -k (u - cos(w t)), u(0) = 1."""
import math
import os
from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class Problem:
    k: float = 0.5
    omega: float = 3.0
    t_end: float = 3.0

    def exact(self, t):
        k, w = self.k, self.omega
        a = k * k / (k * k + w * w)
        b = k * w / (k * k + w * w)
        return a * torch.cos(w * t) + b * torch.sin(w * t) + (1 - a) * torch.exp(-k * t)


class Net(nn.Module):
    def __init__(self, width=48, depth=3):
        super().__init__()
        dims = [1] + [width] * depth
        self.hidden = nn.ModuleList(nn.Linear(a, b) for a, b in zip(dims[:-1], dims[1:]))
        self.out = nn.Linear(width, 1)

    def forward(self, t):
        h = t / 1.5 - 1.0
        for layer in self.hidden:
            h = torch.tanh(layer(h))
        return self.out(h)


def time_derivative(u, t):
    return torch.autograd.grad(u, t, grad_outputs=torch.ones_like(u), retain_graph=True)[0]


class PhysicsLoss(nn.Module):
    def __init__(self, problem, weight_ic=10.0):
        super().__init__()
        self.p, self.weight_ic = problem, weight_ic

    def forward(self, net, t):
        t = t.requires_grad_(True)
        u = net(t)
        du = time_derivative(u, t)
        residual = du + self.p.k * (u - torch.cos(self.p.omega * t))
        ic = net(torch.zeros(1, 1)) - 1.0
        return residual.pow(2).mean() + self.weight_ic * ic.pow(2).mean(), residual.detach()


def main():
    torch.manual_seed(int(os.environ.get("SEED", "0")))
    prob = Problem()
    net = Net()
    crit = PhysicsLoss(prob)
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    steps = 1200
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: 0.5 * (1 + math.cos(math.pi * s / steps)))
    grid = torch.linspace(0, prob.t_end, 200)[:, None]
    for step in range(steps):
        t = torch.rand(128, 1) * prob.t_end
        loss, res = crit(net, t)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        if step % 150 == 0 or step == steps - 1:
            with torch.no_grad():
                err = (net(grid) - prob.exact(grid)).pow(2).mean().sqrt()
            print(f"{step:5d} loss {loss.item():.4f} |res| {res.abs().mean():.4f} rmse {err:.4f}")


if __name__ == "__main__":
    main()
