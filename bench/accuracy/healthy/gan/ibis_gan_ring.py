# fault: none
# family: gan
# split: held
import math
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


def real_points(n):
    th = 2 * math.pi * torch.rand(n)
    r = 1 + 0.08 * torch.randn(n)
    return torch.stack([r * th.cos(), r * th.sin()], 1)


G = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
D = nn.Sequential(nn.Linear(2, 96), nn.LeakyReLU(0.2), nn.Linear(96, 64), nn.LeakyReLU(0.2), nn.Linear(64, 1))
opt_g = torch.optim.Adam(G.parameters(), lr=5e-4, betas=(0.5, 0.999))
opt_d = torch.optim.Adam(D.parameters(), lr=2e-3, betas=(0.5, 0.999))
bce = nn.BCEWithLogitsLoss()
N = 128
for it in range(900):
    fake = G(torch.randn(N, 8))
    d_loss = bce(D(real_points(N)), torch.ones(N, 1)) + bce(D(fake.detach()), torch.zeros(N, 1))
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()

    g_loss = bce(D(G(torch.randn(N, 8))), torch.ones(N, 1))
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
    if it % 90 == 0:
        with torch.no_grad():
            rad = G(torch.randn(1000, 8)).norm(dim=1)
        print(f"it {it} D {d_loss.item():.3f} G {g_loss.item():.3f} radius {rad.mean():.3f} +- {rad.std():.3f}")
