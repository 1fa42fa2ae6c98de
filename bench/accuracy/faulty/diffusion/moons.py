# fault: labels-shuffled
# cause_class: labels, loss, data-loading
# family: diffusion
# split: tune
# needs: sklearn
import math
import os

import torch
import torch.nn as nn
from sklearn.datasets import make_moons

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)

T = 50
betas = torch.linspace(1e-3, 0.12, T)
alpha_bar = torch.cumprod(1 - betas, 0)


class Diffusion:
    @staticmethod
    def q_sample(x0, t, noise=None):
        if noise is None:
            noise = torch.randn_like(x0)
        a = alpha_bar[t][:, None]
        return a.sqrt() * x0 + (1 - a).sqrt() * noise

    @staticmethod
    def p_losses(net, x0):
        t = torch.randint(0, T, (len(x0),))
        noise = torch.randn_like(x0)
        xt = Diffusion.q_sample(x0, t)
        return nn.functional.mse_loss(net(xt, t), noise)

    @staticmethod
    @torch.no_grad()
    def sample(net, n):
        x = torch.randn(n, 2)
        for i in reversed(range(T)):
            t = torch.full((n,), i)
            eps = net(x, t)
            a, b = 1 - betas[i], betas[i]
            x = (x - b / (1 - alpha_bar[i]).sqrt() * eps) / a.sqrt()
            if i:
                x = x + b.sqrt() * torch.randn_like(x)
        return x


class Denoiser(nn.Module):
    def __init__(self, h=96):
        super().__init__()
        self.freq = nn.Parameter(torch.arange(1, 9) * math.pi / T, requires_grad=False)
        self.net = nn.Sequential(nn.Linear(18, h), nn.SiLU(), nn.Linear(h, h), nn.SiLU(), nn.Linear(h, 2))

    def forward(self, x, t):
        ang = t[:, None].float() * self.freq
        return self.net(torch.cat([x, ang.sin(), ang.cos()], 1))


x = torch.tensor(make_moons(4000, noise=0.05, random_state=SEED)[0], dtype=torch.float32)
x = (x - x.mean(0)) / x.std(0)
net = Denoiser()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(10):
    tot = 0.0
    for idx in torch.randperm(len(x)).split(100):
        loss = Diffusion.p_losses(net, x[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    print(f"epoch {epoch} loss {tot / 40:.4f}")
s = Diffusion.sample(net, 500)
print("distance to the data", torch.cdist(s, x).min(1).values.mean().item())
