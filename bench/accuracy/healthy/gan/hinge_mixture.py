# fault: none
# family: gan
# split: tune
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.parametrizations import spectral_norm

torch.manual_seed(int(os.environ.get("SEED", 0)))


def sample_real(n):
    side = (torch.rand(n, 1) < 0.5).float() * 2 - 1
    return torch.cat([side, 0.5 * side], 1) + 0.2 * torch.randn(n, 2)


class G(nn.Module):
    def __init__(self, z=3):
        super().__init__()
        self.z = z
        self.f = nn.Sequential(nn.Linear(z, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 2))

    def forward(self, n):
        return self.f(torch.randn(n, self.z))


class D(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(spectral_norm(nn.Linear(2, 64)), nn.LeakyReLU(0.1),
                               spectral_norm(nn.Linear(64, 64)), nn.LeakyReLU(0.1), spectral_norm(nn.Linear(64, 1)))

    def forward(self, x):
        return self.f(x)


g, d = G(), D()
og = torch.optim.Adam(g.parameters(), lr=5e-4, betas=(0.0, 0.9))
od = torch.optim.Adam(d.parameters(), lr=1e-3, betas=(0.0, 0.9))
B = 64
for step in range(400):
    for _ in range(2):
        with torch.no_grad():
            fake = g(B)
        loss_d = F.relu(1 - d(sample_real(B))).mean() + F.relu(1 + d(fake)).mean()
        od.zero_grad()
        loss_d.backward()
        od.step()
    loss_g = -d(g(B)).mean()
    og.zero_grad()
    loss_g.backward()
    og.step()
    if step % 50 == 49:
        with torch.no_grad():
            s = g(1000)
            gap = (s.mean(0) - sample_real(1000).mean(0)).norm()
            near = ((s - torch.sign(s[:, :1]) * torch.tensor([1.0, 0.5])).norm(dim=1) < 0.6).float().mean()
        print(f"{step + 1} d {loss_d.item():.3f} g {loss_g.item():.3f} mean gap {gap:.3f} near a mode {near:.2f}")
