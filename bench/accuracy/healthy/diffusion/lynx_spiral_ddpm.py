# fault: none
# family: diffusion
# split: held
"""DDPM on a 2-D spiral. `loss` looks like pure noise around 0.4 from step 200 on, yet the samples get better and better."""
import os
import copy
import math
import torch
from torch import nn


class Schedule:
    def __init__(self, T=60):
        self.T = T
        s = 0.008
        f = torch.cos((torch.arange(T + 1) / T + s) / (1 + s) * math.pi / 2) ** 2
        self.abar = (f / f[0])[1:].clamp(1e-4, 0.9999)
        prev = torch.cat([torch.ones(1), self.abar[:-1]])
        self.alpha = self.abar / prev
        self.var = (1 - self.alpha) * (1 - prev) / (1 - self.abar)

    def noise(self, x0, t):
        eps = torch.randn_like(x0)
        a = self.abar[t][:, None]
        return a.sqrt() * x0 + (1 - a).sqrt() * eps, eps

    @torch.no_grad()
    def sample(self, model, n):
        x = torch.randn(n, 2)
        for t in reversed(range(self.T)):
            tt = torch.full((n,), t)
            eps = model(x, tt)
            x0 = ((x - (1 - self.abar[t]).sqrt() * eps) / self.abar[t].sqrt()).clamp(-2.5, 2.5)
            prev = self.abar[t - 1] if t else torch.tensor(1.0)
            mean = (prev.sqrt() * (1 - self.alpha[t]) * x0 + self.alpha[t].sqrt() * (1 - prev) * x) / (1 - self.abar[t])
            x = mean + (self.var[t].clamp(min=0).sqrt() * torch.randn_like(x) if t else 0)
        return x


class Denoiser(nn.Module):
    def __init__(self, width=80, freqs=8):
        super().__init__()
        self.register_buffer("w", 2.0 ** torch.arange(freqs) * math.pi / 60 / 2)
        self.inp = nn.Linear(2 + 2 * freqs, width)
        self.res = nn.ModuleList(nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width)) for _ in range(2))
        self.out = nn.Linear(width, 2)

    def forward(self, x, t):
        a = t[:, None].float() * self.w
        h = self.inp(torch.cat([x, a.sin(), a.cos()], 1))
        for r in self.res:
            h = h + r(h)
        return self.out(h)


class EMA:
    def __init__(self, model, decay=0.99):
        self.shadow, self.decay = copy.deepcopy(model).requires_grad_(False), decay

    @torch.no_grad()
    def update(self, model):
        for s, p in zip(self.shadow.parameters(), model.parameters()):
            s.lerp_(p, 1 - self.decay)


def spiral(n):
    r = torch.rand(n).sqrt()
    a = 3 * math.pi * r
    p = torch.stack([r * a.cos(), r * a.sin()], 1) + 0.02 * torch.randn(n, 2)
    return p / 0.5


def main():
    torch.manual_seed(int(os.environ.get("SEED", 0)))
    sch, net = Schedule(), Denoiser()
    ema = EMA(net)
    opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=0)
    ref = spiral(600)
    for step in range(1, 1001):
        x0 = spiral(128)
        t = torch.randint(0, sch.T, (128,))
        xt, eps = sch.noise(x0, t)
        loss = nn.functional.mse_loss(net(xt, t), eps)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        ema.update(net)
        if step % 200 == 0 or step == 1:
            s = sch.sample(ema.shadow, 600)
            d = torch.cdist(s, ref)
            print(f"step {step:4d} loss {loss.item():.3f} sample distance {d.min(1)[0].mean():.3f} / {d.min(0)[0].mean():.3f}")


if __name__ == "__main__":
    main()
