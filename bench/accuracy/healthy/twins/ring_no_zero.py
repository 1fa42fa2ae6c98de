# fault: none
# family: gan
# split: tune
"""GAN on a ring of points."""
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
G = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 2))
D = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
opt_g = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.5, 0.999))
opt_d = torch.optim.Adam(D.parameters(), lr=1e-3, betas=(0.5, 0.999))
bce = nn.BCEWithLogitsLoss()
ones, zeros = torch.ones(64, 1), torch.zeros(64, 1)


def real(n=64):
    a = torch.rand(n) * 6.2832
    return torch.stack([a.cos(), a.sin()], 1) + 0.05 * torch.randn(n, 2)


for step in range(180):
    fake = G(torch.randn(64, 4))
    opt_d.zero_grad()
    loss_d = bce(D(real()), ones) + bce(D(fake.detach()), zeros)
    loss_d.backward()
    opt_d.step()

    opt_g.zero_grad()
    loss_g = bce(D(fake), ones)
    loss_g.backward()
    opt_g.step()
    if step % 30 == 0:
        print(f"step {step} d {loss_d.item():.3f} g {loss_g.item():.3f}")
