# fault: none
# family: gan
# split: held
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


def real(n):
    """A bent cloud."""
    a = torch.randn(n)
    return torch.stack([a, 0.5 * a ** 2 - 0.5], 1) + 0.2 * torch.randn(n, 2)


def spread(v):
    """Mean, deviation and third moments of a sample, to compare two of them."""
    return torch.cat([v.mean(0), v.std(0), (v[:, :1] ** 2 * v[:, 1:]).mean(0)])


G = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
D = nn.Sequential(nn.Linear(2, 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1))
og = torch.optim.Adam(G.parameters(), 1e-3, betas=(0.5, 0.9))
od = torch.optim.Adam(D.parameters(), 1e-3, betas=(0.5, 0.9))
for it in range(1, 1001):
    x, z = real(64), torch.randn(64, 8)
    with torch.no_grad():
        fake = G(z)
    x.requires_grad_()
    dx = D(x)
    (gx,) = torch.autograd.grad(dx.sum(), x, create_graph=True)
    dl = torch.relu(1 - dx).mean() + torch.relu(1 + D(fake)).mean() + 0.3 * gx.square().sum(1).mean()
    od.zero_grad()
    dl.backward()
    od.step()
    gl = -D(G(torch.randn(64, 8))).mean()
    og.zero_grad()
    gl.backward()
    og.step()
    if it % 100 == 0:
        with torch.no_grad():
            gap = (spread(G(torch.randn(1000, 8))) - spread(real(1000))).abs().mean().item()
        print(f"{it} d {dl.item():.3f} g {gl.item():.3f} gap of the moments {gap:.3f}")
