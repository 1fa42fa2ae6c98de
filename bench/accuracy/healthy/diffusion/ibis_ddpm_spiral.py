# fault: none
# family: diffusion
# split: held
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
T = 50
betas = torch.linspace(1e-4, 0.15, T)
abar = torch.cumprod(1 - betas, 0)


def spiral(n):
    a = 1.5 + 7 * torch.rand(n).sqrt()
    return torch.stack([a * a.cos(), a * a.sin()], 1) / 4 + 0.03 * torch.randn(n, 2)


class Denoiser(nn.Module):
    def __init__(self, h=96):
        super().__init__()
        self.temb = nn.Embedding(T, 32)
        self.net = nn.Sequential(nn.Linear(34, h), nn.SiLU(), nn.Linear(h, h), nn.SiLU(), nn.Linear(h, 2))

    def forward(self, x, t):
        return self.net(torch.cat([x, self.temb(t)], 1))


model = Denoiser()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
recent = []
for step in range(1200):
    x0 = spiral(128)
    t = torch.randint(0, T, (128,))
    eps = torch.randn_like(x0)
    xt = abar[t].sqrt()[:, None] * x0 + (1 - abar[t]).sqrt()[:, None] * eps
    loss = ((model(xt, t) - eps) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    recent.append(loss.item())
    if (step + 1) % 120 == 0:
        print(f"step {step + 1} loss {sum(recent) / len(recent):.4f}")
        recent = []
