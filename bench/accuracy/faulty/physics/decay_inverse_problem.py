# fault: not-in-optimiser
# cause_class: not-updated, optimizer
# family: physics
# split: tune
"""
Inverse problem with a physics-informed network: damped oscillator
    u'' + 2 d u' + w^2 u = 0
noisy observations of u(t) are given, d and w^2 are to be identified.
"""
import os
import math
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
D_TRUE, W2_TRUE = 0.4, 9.0


def exact(t):
    w = math.sqrt(W2_TRUE - D_TRUE ** 2)
    return torch.exp(-D_TRUE * t) * torch.cos(w * t)


class FCN(nn.Module):
    def __init__(self, width=32, depth=3):
        super().__init__()
        dims = [1] + [width] * depth + [1]
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(dims[:-1], dims[1:]))

    def forward(self, t):
        for l in self.layers[:-1]:
            t = torch.tanh(l(t))
        return self.layers[-1](t)


class InversePINN:
    def __init__(self):
        self.net = FCN()
        self.d = nn.Parameter(torch.tensor(1.5))
        self.w2 = nn.Parameter(torch.tensor(3.0))
        self.t_obs = torch.linspace(0, 3, 40)[:, None]
        self.u_obs = exact(self.t_obs) + 0.02 * torch.randn(40, 1)
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=3e-3)

    def residual(self, t):
        t = t.requires_grad_(True)
        u = self.net(t)
        du = torch.autograd.grad(u, t, torch.ones_like(u), create_graph=True)[0]
        ddu = torch.autograd.grad(du, t, torch.ones_like(du), create_graph=True)[0]
        return ddu + 2 * self.d * du + self.w2 * u

    def train(self, n):
        for i in range(n):
            self.optimizer.zero_grad()
            data = ((self.net(self.t_obs) - self.u_obs) ** 2).mean()
            phys = (self.residual(3 * torch.rand(64, 1)) ** 2).mean()
            loss = data + 1e-2 * phys
            loss.backward()
            self.optimizer.step()
            if i % 150 == 0:
                print(f"{i:5d} loss {loss.item():.4f} data {data.item():.4f} physics {phys.item():.4f} "
                      f"d {self.d.item():.3f} w2 {self.w2.item():.3f}")


pinn = InversePINN()
pinn.train(1000)
print("identified: d = %.3f (true %.1f), w2 = %.3f (true %.1f)" % (pinn.d.item(), D_TRUE, pinn.w2.item(), W2_TRUE))
