# fault: no-gradient
# cause_class: not-updated, zero-grad
# family: gan
# split: tune
import math
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


def real_batch(n):
    a = torch.randint(0, 6, (n,)) * (2 * math.pi / 6)
    return torch.stack([a.cos(), a.sin()], 1) + 0.05 * torch.randn(n, 2)


def mlp(i, o, h=48):
    return nn.Sequential(nn.Linear(i, h), nn.LeakyReLU(0.2), nn.Linear(h, h), nn.LeakyReLU(0.2), nn.Linear(h, o))


class GANTrainer:
    def __init__(self, zdim=4):
        self.zdim = zdim
        self.G, self.D = mlp(zdim, 2), mlp(2, 1)
        self.opt_g = torch.optim.Adam(self.G.parameters(), lr=1e-3, betas=(0.5, 0.99))
        self.opt_d = torch.optim.Adam(self.D.parameters(), lr=1e-3, betas=(0.5, 0.99))
        self.bce = nn.BCEWithLogitsLoss()

    def score(self, points):
        return self.D(points.detach()).squeeze(1)

    def d_step(self, n):
        real, fake = real_batch(n), self.G(torch.randn(n, self.zdim))
        sr, sf = self.score(real), self.score(fake)
        loss = self.bce(sr, torch.ones_like(sr)) + self.bce(sf, torch.zeros_like(sf))
        self.opt_d.zero_grad()
        loss.backward()
        self.opt_d.step()
        return loss.item()

    def g_step(self, n):
        s = self.score(self.G(torch.randn(n, self.zdim)))
        loss = self.bce(s, torch.ones_like(s))
        self.opt_g.zero_grad()
        loss.backward()
        self.opt_g.step()
        return loss.item()


t = GANTrainer()
for it in range(400):
    d = t.d_step(64)
    g = t.g_step(64)
    if it % 50 == 49:
        with torch.no_grad():
            r = t.G(torch.randn(500, 4)).norm(dim=1)
        print(f"{it + 1:4d}  d {d:.3f}  g {g:.3f}  radius {r.mean():.2f} +- {r.std():.2f}")
