# fault: not-in-optimiser
# cause_class: not-updated, optimizer
# family: gan
# split: tune
import math
import os

import torch
from torch import nn

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)

LATENT = 8


def real_points(n):
    k = torch.randint(0, 8, (n,)).float() * math.pi / 4
    return torch.stack([k.cos(), k.sin()], 1) * 1.5 + 0.05 * torch.randn(n, 2)


def mlp(i, o):
    return nn.Sequential(nn.Linear(i, 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2), nn.Linear(64, o))


def build():
    nets = {"generator": mlp(LATENT, 2), "critic": mlp(2, 1)}
    opts = {name: torch.optim.Adam(nets["critic"].parameters(), lr=1e-3, betas=(0.5, 0.999)) for name in nets}
    return nets, opts


nets, opts = build()
bce = nn.BCEWithLogitsLoss()
ones, zeros = torch.ones(128, 1), torch.zeros(128, 1)

for it in range(600):
    fake = nets["generator"](torch.randn(128, LATENT))

    d_loss = 0.5 * (bce(nets["critic"](real_points(128)), ones) + bce(nets["critic"](fake.detach()), zeros))
    opts["critic"].zero_grad()
    d_loss.backward()
    opts["critic"].step()

    for p in nets["critic"].parameters():
        p.requires_grad_(False)
    g_loss = bce(nets["critic"](fake), ones)
    opts["generator"].zero_grad()
    nets["generator"].zero_grad()
    g_loss.backward()
    opts["generator"].step()
    for p in nets["critic"].parameters():
        p.requires_grad_(True)

    if it % 100 == 0 or it == 599:
        radius = fake.detach().norm(dim=1)
        print(f"{it:4d} d {d_loss.item():.4f} g {g_loss.item():.4f} radius {radius.mean():.3f} +- {radius.std():.3f}")
