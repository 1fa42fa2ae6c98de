# fault: none
# family: diffusion
# split: tune
"""Noise prediction on a ring with an EMA of the weights; the loss is noisy and levels off far from zero."""
import copy
import math
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
STEPS = 40


def cosine_alpha_bar(n):
    t = torch.linspace(0, 1, n + 1)
    f = torch.cos((t + 0.008) / 1.008 * math.pi / 2) ** 2
    return (f[1:] / f[0]).clamp(1e-3, 0.9999)


abar = cosine_alpha_bar(STEPS)


class Net(nn.Module):
    def __init__(self, h=64):
        super().__init__()
        self.freq = torch.exp(torch.linspace(0, 4, 8))
        self.net = nn.Sequential(nn.Linear(18, h), nn.SiLU(), nn.Linear(h, h), nn.SiLU(), nn.Linear(h, 2))
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)

    def forward(self, x, t):
        e = t.float()[:, None] / STEPS * self.freq
        return self.net(torch.cat([x, e.sin(), e.cos()], 1))


@torch.no_grad()
def sample(net, n):
    x = torch.randn(n, 2)
    for k in reversed(range(STEPS)):                     # deterministic DDIM steps
        t = torch.full((n,), k)
        eps = net(x, t)
        x0 = (x - (1 - abar[k]).sqrt() * eps) / abar[k].sqrt()
        prev = abar[k - 1] if k else torch.tensor(1.0)
        x = prev.sqrt() * x0 + (1 - prev).sqrt() * eps
    return x


net = Net()
ema = copy.deepcopy(net).requires_grad_(False)
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for step in range(1, 1201):
    a = torch.rand(128) * 2 * math.pi
    x0 = torch.stack([a.cos(), a.sin()], 1)
    t = torch.randint(0, STEPS, (128,))
    noise = torch.randn_like(x0)
    xt = abar[t].sqrt()[:, None] * x0 + (1 - abar[t]).sqrt()[:, None] * noise
    loss = (net(xt, t) - noise).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for e, p in zip(ema.parameters(), net.parameters()):
            e.mul_(0.99).add_(p, alpha=0.01)
    if step % 200 == 0:
        r = sample(ema, 500).norm(dim=1)
        print(f"{step} loss {loss.item():.4f} radius {r.mean():.3f} +- {r.std():.3f}")
