# fault: none
# family: gan
# split: tune
"""Non-saturating GAN that learns a shifted, correlated cloud; averaged generator for the samples."""
import copy
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
MEAN = torch.tensor([1.0, -0.5])
ROOT = torch.tensor([[0.8, 0.0], [0.5, 0.3]])


def real(n):
    return MEAN + torch.randn(n, 2) @ ROOT.T


G = nn.Sequential(nn.Linear(2, 24), nn.ReLU(), nn.Linear(24, 2))
D = nn.Sequential(nn.Linear(2, 48), nn.LeakyReLU(0.2), nn.Linear(48, 48), nn.LeakyReLU(0.2), nn.Linear(48, 1))
average = copy.deepcopy(G).requires_grad_(False)
opt_g = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.5, 0.99))
opt_d = torch.optim.Adam(D.parameters(), lr=3e-3, betas=(0.5, 0.99))
for step in range(1, 901):
    x = real(64)
    fake = G(torch.randn(64, 2))
    loss_d = F.softplus(-D(x)).mean() + F.softplus(D(fake.detach())).mean()
    opt_d.zero_grad()
    loss_d.backward()
    opt_d.step()

    loss_g = F.softplus(-D(G(torch.randn(64, 2)))).mean()
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()
    with torch.no_grad():
        for a, p in zip(average.parameters(), G.parameters()):
            a.lerp_(p, 0.02)
        if step % 100 == 0:
            s = average(torch.randn(2000, 2))
            print(f"{step} D {loss_d.item():.3f} G {loss_g.item():.3f} error of the mean {(s.mean(0) - MEAN).norm():.3f} "
                  f"error of the covariance {(s.T.cov() - ROOT @ ROOT.T).norm():.3f}")
