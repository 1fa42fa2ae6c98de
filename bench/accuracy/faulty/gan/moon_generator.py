# fault: detached-mid-network
# cause_class: not-updated, structure
# family: gan
# split: tune
# twin: healthy/gan/moon_generator.py
"""A generator of points on a half moon."""
import os
import math
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


def real(n):
    a = math.pi * torch.rand(n)
    return torch.stack([a.cos(), a.sin() - 0.5], 1) * 1.2 + 0.05 * torch.randn(n, 2)


G = nn.Sequential(nn.Linear(4, 48), nn.LeakyReLU(0.2), nn.Linear(48, 48), nn.LeakyReLU(0.2), nn.Linear(48, 2))
D = nn.Sequential(nn.Linear(2, 48), nn.LeakyReLU(0.2), nn.Linear(48, 48), nn.LeakyReLU(0.2), nn.Linear(48, 1))
opt_g = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.5, 0.9))
opt_d = torch.optim.Adam(D.parameters(), lr=1e-3, betas=(0.5, 0.9))
bce = nn.BCEWithLogitsLoss()
one, zero = torch.ones(64, 1), torch.zeros(64, 1)


def distance():
    with torch.no_grad():
        a, b = G(torch.randn(400, 4)), real(400)
        return (2 * torch.cdist(a, b).mean() - torch.cdist(a, a).mean() - torch.cdist(b, b).mean()).item()


print("start", distance())
for it in range(1, 1201):
    fake = G(torch.randn(64, 4))
    d_loss = bce(D(real(64)), one * 0.9) + bce(D(fake.detach()), zero)
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()

    g_loss = bce(D(G(torch.randn(64, 4)).detach()), one)
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
    if it % 120 == 0:
        print(f"iter {it} d {d_loss.item():.4f} g {g_loss.item():.4f} energy distance {distance():.4f}")
