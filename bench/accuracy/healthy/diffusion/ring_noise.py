# fault: none
# family: diffusion
# split: tune
import copy
import math
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
T = 40
beta = torch.linspace(1e-3, 0.15, T)
abar = torch.cumprod(1 - beta, 0)


def data(n):
    a = torch.rand(n) * 2 * math.pi
    r = 1.4 + 0.05 * torch.randn(n)
    return torch.stack([r * a.cos(), r * a.sin()], 1)


class EpsNet(nn.Module):
    def __init__(self, h=128):
        super().__init__()
        self.time = nn.Embedding(T, 16)
        self.f = nn.Sequential(nn.Linear(18, h), nn.SiLU(), nn.Linear(h, h), nn.SiLU(), nn.Linear(h, 2))

    def forward(self, x, t):
        return self.f(torch.cat([x, self.time(t)], 1))


@torch.no_grad()
def generate(net, n=500):
    x = torch.randn(n, 2)
    for i in reversed(range(T)):
        eps = net(x, torch.full((n,), i))
        x = (x - beta[i] / (1 - abar[i]).sqrt() * eps) / (1 - beta[i]).sqrt()
        if i > 0:
            x = x + beta[i].sqrt() * torch.randn_like(x)
    return x


net = EpsNet()
ema = copy.deepcopy(net).requires_grad_(False)
opt = torch.optim.AdamW(net.parameters(), lr=4e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 1200)
avg = 0.0
for step in range(1, 1201):
    x0, t, eps = data(256), torch.randint(0, T, (256,)), torch.randn(256, 2)
    a = abar[t][:, None]
    loss = (net(a.sqrt() * x0 + (1 - a).sqrt() * eps, t) - eps).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    with torch.no_grad():
        for p, q in zip(ema.parameters(), net.parameters()):
            p.lerp_(q, 0.02)
    avg += loss.item()
    if step % 100 == 0:
        r = generate(ema).norm(dim=1)
        print(f"{step} loss {avg / 100:.4f} radius {r.mean():.3f} +- {r.std():.3f}")
        avg = 0.0
