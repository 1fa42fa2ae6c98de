"""A GAN: two networks, two optimisers, one round is one step."""

import torch
from common import STEPS, Report
from torch import nn

torch.manual_seed(0)


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(nn.Linear(4, 32), nn.LeakyReLU(0.2), nn.Linear(32, 2))

    def forward(self, z):
        return self.main(z)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))

    def forward(self, x):
        return self.main(x)


gen, disc = Generator(), Discriminator()
opt_d = torch.optim.Adam(disc.parameters(), lr=2e-3, betas=(0.5, 0.999))
opt_g = torch.optim.Adam(gen.parameters(), lr=1e-3, betas=(0.5, 0.999))
criterion = nn.BCEWithLogitsLoss()
report = Report(gen, disc)
g = torch.Generator().manual_seed(4)
for step in range(STEPS):
    real = torch.randn(64, 2, generator=g) * 0.5 + 2.0
    with torch.no_grad():
        fake = gen(torch.randn(64, 4, generator=g))
    opt_d.zero_grad()
    criterion(disc(real), torch.ones(64, 1)).backward()
    criterion(disc(fake), torch.zeros(64, 1)).backward()
    opt_d.step()
    opt_g.zero_grad()
    loss = criterion(disc(gen(torch.randn(64, 4, generator=g))), torch.ones(64, 1))
    loss.backward()
    opt_g.step()
    report.step(loss.item())
report.done()
