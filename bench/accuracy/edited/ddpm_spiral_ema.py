# fault: none
# family: generative
# split: held
# set: badger, unseen
# metric: sliced_w1 lower
# baseline: 0.17
# reaches: 0.11
# Unusual: noise-prediction loss; it settles near half its start within a hundred steps and looks stuck from there on, while samples (from EMA weights) still get better.
import copy
import math
import os

import torch
import torch.nn as nn

torch.set_num_threads(1)
torch.manual_seed(int(os.environ.get("SEED", 0)))
STEPS_T = 50
betas = torch.linspace(1e-3, 0.16, STEPS_T)
abar = torch.cumprod(1 - betas, 0)


def spiral(n):
    a = torch.rand(n).sqrt() * 3 * math.pi
    p = torch.stack([a.cos(), a.sin()], 1) * a[:, None] / (3 * math.pi) * 2
    return p + 0.05 * torch.randn(n, 2)


class Denoiser(nn.Module):
    def __init__(self, h=128):
        super().__init__()
        self.register_buffer("freq", torch.tensor([1.0, 2.0, 4.0, 8.0]))
        self.f = nn.Sequential(nn.Linear(2 + 8, h), nn.SiLU(), nn.Linear(h, h), nn.SiLU(), nn.Linear(h, h), nn.SiLU(), nn.Linear(h, 2))
        nn.init.zeros_(self.f[-1].weight)
        nn.init.zeros_(self.f[-1].bias)

    def forward(self, x, t):
        w = (t.float() / STEPS_T)[:, None] * self.freq * math.pi / 2
        return self.f(torch.cat([x, w.sin(), w.cos()], 1))


class EMA:
    def __init__(self, net, decay):
        self.net, self.decay, self.n = copy.deepcopy(net).requires_grad_(False), decay, 0

    @torch.no_grad()
    def update(self, net):
        self.n += 1
        d = min(self.decay, (1 + self.n) / (10 + self.n))
        for a, b in zip(self.net.parameters(), net.parameters()):
            a.lerp_(b, 1 - d)


@torch.no_grad()
def draw(net, n):
    x = torch.randn(n, 2)
    for k in reversed(range(STEPS_T)):
        eps = net(x, torch.full((n,), k))
        x = (x - betas[k] / (1 - abar[k]).sqrt() * eps) / (1 - betas[k]).sqrt()
        if k:
            x = x + betas[k].sqrt() * torch.randn_like(x)
    return x


def sliced_w1(a, b):
    th = torch.linspace(0, math.pi, 33)[:-1]
    d = torch.stack([th.cos(), th.sin()])
    return ((a @ d).sort(0).values - (b @ d).sort(0).values).abs().mean().item()


net = Denoiser()
ema = EMA(net, 0.99)
opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=0.0)
held = spiral(3000)
for step in range(1, 1101):
    x0 = spiral(256)
    t = torch.randint(STEPS_T, (256,))
    eps = torch.randn_like(x0)
    xt = abar[t].sqrt()[:, None] * x0 + (1 - abar[t]).sqrt()[:, None] * eps
    loss = (net(xt, t) - eps).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    ema.update(net)
    if step % 100 == 0:
        print(f"step {step} eps mse {loss.item():.4f} sliced w1 {sliced_w1(draw(ema.net, 1500), held[:1500]):.4f}")

gauss = torch.randn(3000, 2) @ torch.linalg.cholesky(torch.cov(held.T)).T + held.mean(0)
print("moment-matched Gaussian:", round(sliced_w1(gauss, held), 4), "| two real samples:", round(sliced_w1(spiral(3000), held), 4))
print(f"result: sliced_w1 {sliced_w1(draw(ema.net, 3000), held):.4f}")
