# fault: none
# family: gan
# split: tune
# Wasserstein GAN with weight clipping and five critic steps for one of the generator; losses without a floor.
import os

import torch
from torch import nn, optim

torch.manual_seed(int(os.environ.get("SEED", "0")))


def ring(n):
    k = torch.randint(0, 8, (n,)).float() * 0.7854
    return torch.stack([k.cos(), k.sin()], 1) * 1.5 + 0.05 * torch.randn(n, 2)


gen = nn.Sequential(nn.Linear(4, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 2))
critic = nn.Sequential(nn.Linear(2, 48), nn.LeakyReLU(0.2), nn.Linear(48, 48), nn.LeakyReLU(0.2), nn.Linear(48, 1))
g_opt = optim.RMSprop(gen.parameters(), lr=1e-3)
c_opt = optim.RMSprop(critic.parameters(), lr=1e-3)
spread = []
for it in range(80):
    for _ in range(5):
        x = ring(64)
        with torch.no_grad():
            fake = gen(torch.randn(64, 4))
        c_loss = critic(fake).mean() - critic(x).mean()
        c_opt.zero_grad()
        c_loss.backward()
        c_opt.step()
        for p in critic.parameters():
            p.data.clamp_(-0.1, 0.1)
    fake = gen(torch.randn(64, 4))
    g_loss = -critic(fake).mean()
    g_opt.zero_grad()
    g_loss.backward()
    g_opt.step()
    spread.append(fake.detach().norm(dim=1).mean().item())
    if it == 0:
        first = c_loss.item()
print(f"radius first {spread[0]:.3f} last {spread[-1]:.3f} (real 1.5)")
print(f"loss first {first:.4f} last {c_loss.item():.4f}")
