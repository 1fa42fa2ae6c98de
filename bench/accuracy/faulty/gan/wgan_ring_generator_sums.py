# fault: zero-grad
# cause_class: zero-grad, optimizer
# family: gan
# split: tune
import math
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


def ring(n):
    a = torch.randint(0, 8, (n,)) * math.pi / 4
    return torch.stack([a.cos(), a.sin()], 1) * 2 + 0.05 * torch.randn(n, 2)


def mlp(i, o):
    return nn.Sequential(nn.Linear(i, 64), nn.LeakyReLU(0.2), nn.Linear(64, 64), nn.LeakyReLU(0.2), nn.Linear(64, o))


def penalty(critic, real, fake):
    t = torch.rand(len(real), 1)
    x = (t * real + (1 - t) * fake).requires_grad_(True)
    (g,) = torch.autograd.grad(critic(x).sum(), x, create_graph=True)
    return ((g.norm(2, dim=1) - 1) ** 2).mean()


generator, critic = mlp(8, 2), mlp(2, 1)
opt_g = torch.optim.Adam(generator.parameters(), lr=4e-4, betas=(0.5, 0.9))
opt_c = torch.optim.Adam(critic.parameters(), lr=4e-4, betas=(0.5, 0.9))
for it in range(100):
    for _ in range(5):
        real, fake = ring(64), generator(torch.randn(64, 8)).detach()
        loss_c = critic(fake).mean() - critic(real).mean() + 10 * penalty(critic, real, fake)
        opt_c.zero_grad()
        loss_c.backward()
        opt_c.step()
    loss_g = -critic(generator(torch.randn(64, 8))).mean()
    loss_g.backward()
    opt_g.step()
    if it % 20 == 0:
        print(it, loss_c.item(), loss_g.item())
