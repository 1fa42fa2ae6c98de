# fault: none
# family: gan
# split: tune
# WGAN-GP: the critic's loss holds a gradient, so backward goes twice; the losses pass through zero.
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


def moons(n):
    t = torch.rand(n) * 3.1416
    up = torch.rand(n) < 0.5
    x = torch.where(up, t.cos(), 1 - t.cos())
    y = torch.where(up, t.sin(), 0.5 - t.sin())
    return torch.stack([x, y], 1) + 0.05 * torch.randn(n, 2)


def penalty(critic, real, fake):
    a = torch.rand(len(real), 1)
    mid = (a * real + (1 - a) * fake).requires_grad_(True)
    (g,) = torch.autograd.grad(critic(mid).sum(), mid, create_graph=True)
    return ((g.norm(2, dim=1) - 1) ** 2).mean()


G = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
C = nn.Sequential(nn.Linear(2, 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1))
og = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.5, 0.9))
oc = torch.optim.Adam(C.parameters(), lr=1e-3, betas=(0.5, 0.9))
gap = []
for it in range(80):
    for _ in range(5):
        real, fake = moons(64), G(torch.randn(64, 4)).detach()
        closs = C(fake).mean() - C(real).mean() + penalty(C, real, fake)
        oc.zero_grad()
        closs.backward()
        oc.step()
    fake = G(torch.randn(64, 4))
    gloss = -C(fake).mean()
    og.zero_grad()
    gloss.backward()
    og.step()
    gap.append((fake.detach().mean(0) - torch.tensor([0.5, 0.25])).norm().item())
    if it == 0:
        first = closs.item()
print("spread", fake.std(0).tolist(), "real 0.87 0.49")
print(f"distance of means first {gap[0]:.3f} last {sum(gap[-10:]) / 10:.3f}")
print(f"loss first {first:.4f} last {closs.item():.4f}")
