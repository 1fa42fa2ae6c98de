# fault: none
# family: gan
# split: tune
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))


def real(n):
    k = torch.randint(0, 6, (n,)).float() * torch.pi / 3
    return torch.stack([k.cos(), k.sin()], 1) * 1.5 + 0.12 * torch.randn(n, 2)


G = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
D = nn.Sequential(nn.utils.parametrizations.spectral_norm(nn.Linear(2, 64)), nn.LeakyReLU(0.2),
                  nn.utils.parametrizations.spectral_norm(nn.Linear(64, 64)), nn.LeakyReLU(0.2), nn.Linear(64, 1))
og = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.0, 0.9))
od = torch.optim.Adam(D.parameters(), lr=2e-3, betas=(0.0, 0.9))
for it in range(700):
    x, fake = real(64), G(torch.randn(64, 8)).detach()
    ld = F.relu(1 - D(x)).mean() + F.relu(1 + D(fake)).mean()
    od.zero_grad()
    ld.backward()
    od.step()
    for p in D.parameters():
        p.requires_grad_(False)
    lg = -D(G(torch.randn(64, 8))).mean()
    og.zero_grad()
    lg.backward()
    og.step()
    for p in D.parameters():
        p.requires_grad_(True)
    if it % 100 == 99:
        with torch.no_grad():
            s = G(torch.randn(400, 8))
            near = torch.cdist(s, real(600)).min(1).values.mean()
        print(f"{it + 1} D {ld.item():.3f} G {lg.item():.3f} distance of samples to data {near:.3f} radius {s.norm(dim=1).mean():.3f}")
