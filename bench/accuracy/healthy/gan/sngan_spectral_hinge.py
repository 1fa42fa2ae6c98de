# fault: none
# family: gan
# split: tune
# Hinge GAN with spectral norm in the discriminator, written as a class.
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.parametrizations import spectral_norm as sn


class HingeGAN:
    def __init__(self, zdim=8, width=64):
        self.zdim = zdim
        self.g = nn.Sequential(nn.Linear(zdim, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Linear(width, 3))
        self.d = nn.Sequential(
            sn(nn.Linear(3, width)), nn.LeakyReLU(0.1), sn(nn.Linear(width, width)), nn.LeakyReLU(0.1), sn(nn.Linear(width, 1))
        )
        self.og = torch.optim.Adam(self.g.parameters(), 2e-3, betas=(0.0, 0.9))
        self.od = torch.optim.Adam(self.d.parameters(), 4e-3, betas=(0.0, 0.9))

    def fake(self, n):
        return self.g(torch.randn(n, self.zdim))

    def step_d(self, x):
        loss = F.relu(1 - self.d(x)).mean() + F.relu(1 + self.d(self.fake(len(x)).detach())).mean()
        self.od.zero_grad(set_to_none=True)
        loss.backward()
        self.od.step()
        return loss.item()

    def step_g(self, n):
        loss = -self.d(self.fake(n)).mean()
        self.og.zero_grad(set_to_none=True)
        loss.backward()
        self.og.step()
        return loss.item()


def sphere(n):
    v = torch.randn(n, 3)
    return v / v.norm(dim=1, keepdim=True) + torch.tensor([1.0, 0.0, -1.0])


torch.manual_seed(int(os.environ.get("SEED", "0")))
gan = HingeGAN()
hist = []
for step in range(200):
    d = gan.step_d(sphere(64))
    g = gan.step_g(64)
    hist.append((d, g))
gan.g.eval()
with torch.no_grad():
    print("mean of samples", gan.fake(500).mean(0).tolist())
print(f"loss first {hist[0][0]:.4f} last {hist[-1][0]:.4f}")
