# fault: none
# family: pinn
# split: held
"""u_t = k u_xx with unknown k: network and coefficient are trained together."""
import math
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
K = 0.15


def truth(x, t):
    return torch.exp(-K * math.pi ** 2 * t) * torch.sin(math.pi * x)


class PINN(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
        self.log_k = nn.Parameter(torch.tensor(0.0))

    def forward(self, x, t):
        return self.net(torch.cat([x, t], 1))

    def pde(self, x, t):
        x.requires_grad_(True)
        t.requires_grad_(True)
        u = self(x, t)
        ux, ut = torch.autograd.grad(u.sum(), (x, t), create_graph=True)
        uxx = torch.autograd.grad(ux.sum(), x, create_graph=True)[0]
        return ut - self.log_k.exp() * uxx


xo, to = torch.rand(120, 1), torch.rand(120, 1)
uo = truth(xo, to) + 0.01 * torch.randn(120, 1)
model = PINN()
opt = torch.optim.Adam([
    {"params": model.net.parameters(), "lr": 2e-3},
    {"params": [model.log_k], "lr": 1e-2},
])
for it in range(901):
    fit = (model(xo, to) - uo).pow(2).mean()
    res = model.pde(torch.rand(80, 1), torch.rand(80, 1)).pow(2).mean()
    tb = torch.rand(30, 1)
    bc = model(torch.zeros(30, 1), tb).pow(2).mean() + model(torch.ones(30, 1), tb).pow(2).mean()
    loss = fit + 0.1 * res + 0.1 * bc
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 100 == 0:
        print(f"{it} total {loss.item():.5f} data {fit.item():.5f} pde {res.item():.5f} k {model.log_k.exp().item():.4f}")
