# fault: none
# family: diffusion
# split: held
"""DDPM with an EMA copy on points of a ring; the loss settles early and stays noisy."""
import copy
import math
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
T = 40
betas = torch.linspace(1e-3, 0.2, T)
abar = torch.cumprod(1 - betas, 0)


def ring(n):
    a = 2 * math.pi * torch.rand(n)
    return torch.stack([a.cos(), a.sin()], 1) * (1.3 + 0.05 * torch.randn(n, 1))


class Denoiser(nn.Module):
    def __init__(self, h=96):
        super().__init__()
        self.t = nn.Embedding(T, 16)
        self.net = nn.Sequential(nn.Linear(18, h), nn.SiLU(), nn.Linear(h, h), nn.SiLU(), nn.Linear(h, 2))
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)

    def forward(self, x, t):
        return self.net(torch.cat([x, self.t(t)], 1))


@torch.no_grad()
def sample(model, n):
    x = torch.randn(n, 2)
    for k in reversed(range(T)):
        t = torch.full((n,), k)
        e = model(x, t)
        x = (x - betas[k] / (1 - abar[k]).sqrt() * e) / (1 - betas[k]).sqrt()
        if k:
            x = x + betas[k].sqrt() * torch.randn_like(x)
    return x


model = Denoiser()
ema = copy.deepcopy(model).requires_grad_(False)
opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
run = 0.0
for step in range(1, 1501):
    x0 = ring(128)
    t = torch.randint(0, T, (128,))
    eps = torch.randn_like(x0)
    a = abar[t][:, None]
    loss = (model(a.sqrt() * x0 + (1 - a).sqrt() * eps, t) - eps).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    with torch.no_grad():
        for p, q in zip(ema.parameters(), model.parameters()):
            p.lerp_(q, 0.01)
    run += loss.item()
    if step % 300 == 0:
        r = sample(ema, 500).norm(dim=1)
        print(f"{step} loss {run / 300:.4f} radius {r.mean():.3f} +- {r.std():.3f}")
        run = 0.0
