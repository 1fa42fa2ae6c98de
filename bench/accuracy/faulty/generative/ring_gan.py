# fault: zero-grad
# cause_class: zero-grad, optimizer
# family: generative
# split: held
# set: kvist, unseen
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
Z = 4


def real(n):
    a = torch.rand(n) * 6.2832
    return torch.stack([a.cos(), a.sin()], 1) + 0.05 * torch.randn(n, 2)


def mlp(i, o, h=64):
    return nn.Sequential(nn.Linear(i, h), nn.LeakyReLU(0.2), nn.Linear(h, h), nn.LeakyReLU(0.2), nn.Linear(h, o))


G, D = mlp(Z, 2), mlp(2, 1)
g_opt = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.5, 0.99))
d_opt = torch.optim.SGD(D.parameters(), lr=0.02)


def d_step(x):
    fake = G(torch.randn(len(x), Z)).detach()
    loss = F.softplus(-D(x)).mean() + F.softplus(D(fake)).mean()
    g_opt.zero_grad()
    loss.backward()
    d_opt.step()
    return loss.item()


def g_step(n):
    for p in D.parameters():
        p.requires_grad_(False)
    loss = F.softplus(-D(G(torch.randn(n, Z)))).mean()
    g_opt.zero_grad()
    loss.backward()
    g_opt.step()
    for p in D.parameters():
        p.requires_grad_(True)
    return loss.item()


for it in range(1, 1001):
    dl = d_step(real(64))
    gl = g_step(64)
    if it % 100 == 0:
        with torch.no_grad():
            r = G(torch.randn(500, Z)).norm(dim=1)
        print(f"{it:5d} d {dl:.3f} g {gl:.3f} radius {r.mean().item():.3f} +- {r.std().item():.3f}")
