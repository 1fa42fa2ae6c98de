# fault: none
# family: generative
# split: tune
# DDPM on points: the loss is noisy and flattens far above zero.
import math
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))

T = 100
beta = torch.linspace(1e-4, 0.05, T)
abar = torch.cumprod(1 - beta, 0)


def swiss(n):
    t = 4.7 * (1 + 2 * torch.rand(n)) / 3
    return torch.stack([t * t.cos(), t * t.sin()], 1) / 2.5 + 0.05 * torch.randn(n, 2)


class Denoiser(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.register_buffer("freqs", torch.exp(torch.linspace(0, math.log(50), 8)))
        self.net = nn.Sequential(nn.Linear(18, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 2))

    def forward(self, x, t):
        e = t[:, None] / T * self.freqs
        return self.net(torch.cat([x, e.sin(), e.cos()], 1))


model = Denoiser()
opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
hist = []
for step in range(350):
    x0 = swiss(128)
    t = torch.randint(0, T, (128,))
    eps = torch.randn_like(x0)
    xt = abar[t].sqrt()[:, None] * x0 + (1 - abar[t]).sqrt()[:, None] * eps
    loss = (model(xt, t) - eps).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    hist.append(loss.item())
print(f"loss first {hist[0]:.4f} last {sum(hist[-30:]) / 30:.4f}")
