# fault: none
# family: gan
# split: tune
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


def real(n):
    a = torch.rand(n) * 6.283
    return torch.stack([a.cos(), a.sin()], 1) + 0.05 * torch.randn(n, 2)


G = nn.Sequential(nn.Linear(4, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 2))
D = nn.Sequential(nn.Linear(2, 48), nn.LeakyReLU(0.2), nn.Linear(48, 48), nn.LeakyReLU(0.2), nn.Linear(48, 1))
opt_g = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.5, 0.99))
bce = nn.BCEWithLogitsLoss()
# warm the generator up: match mean and spread
for _ in range(80):
    f, r = G(torch.randn(128, 4)), real(128)
    loss = (f.mean(0) - r.mean(0)).pow(2).sum() + (f.std(0) - r.std(0)).pow(2).sum()
    opt_g.zero_grad(); loss.backward(); opt_g.step()
print("warm", loss.item())
opt_d = torch.optim.Adam(D.parameters(), lr=1e-3, betas=(0.5, 0.99))
for step in range(300):
    r, f = real(128), G(torch.randn(128, 4))
    d_loss = bce(D(r), torch.ones(128, 1)) + bce(D(f.detach()), torch.zeros(128, 1))
    opt_d.zero_grad(); d_loss.backward(); opt_d.step()
    g_loss = bce(D(f), torch.ones(128, 1))
    opt_g.zero_grad(); g_loss.backward(); opt_g.step()
print(d_loss.item(), g_loss.item())
