# fault: none
# family: gan
# split: held
import math
import os
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.parametrizations import spectral_norm


@dataclass
class Options:
    seed: int = int(os.environ.get("SEED", "0"))
    noise: int = 6
    batch: int = 96
    iterations: int = 500
    lr_g: float = 1e-3
    lr_d: float = 2e-3


o = Options()
torch.manual_seed(o.seed)


def moons(n):
    t = torch.rand(n) * math.pi
    up = (torch.rand(n) < 0.5).float()
    x = up * torch.cos(t) + (1 - up) * (1 - torch.cos(t)) - 0.5
    y = up * torch.sin(t) + (1 - up) * (0.5 - torch.sin(t)) - 0.25
    return torch.stack([x, y], 1) + 0.05 * torch.randn(n, 2)


G = nn.Sequential(nn.Linear(o.noise, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
D = nn.Sequential(spectral_norm(nn.Linear(2, 64)), nn.LeakyReLU(0.1), spectral_norm(nn.Linear(64, 64)), nn.LeakyReLU(0.1), spectral_norm(nn.Linear(64, 1)))
og = torch.optim.Adam(G.parameters(), lr=o.lr_g, betas=(0.0, 0.9))
od = torch.optim.Adam(D.parameters(), lr=o.lr_d, betas=(0.0, 0.9))
reference = moons(400)


@torch.no_grad()
def coverage():
    d = torch.cdist(reference, G(torch.randn(400, o.noise)))
    return d.min(1).values.mean().item(), d.min(0).values.mean().item()


for it in range(o.iterations):
    for _ in range(2):
        with torch.no_grad():
            fake = G(torch.randn(o.batch, o.noise))
        loss_d = F.relu(1 - D(moons(o.batch))).mean() + F.relu(1 + D(fake)).mean()
        od.zero_grad()
        loss_d.backward()
        od.step()
    loss_g = -D(G(torch.randn(o.batch, o.noise))).mean()
    og.zero_grad()
    loss_g.backward()
    og.step()
    if it % 100 == 0 or it == o.iterations - 1:
        near = coverage()
        print(f"{it:4d} D {loss_d.item():.3f} G {loss_g.item():+.3f} real to fake {near[0]:.3f} fake to real {near[1]:.3f}")
