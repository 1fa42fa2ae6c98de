# fault: no-nonlinearity
# cause_class: activation, structure
# family: diffusion
# split: held
import math
import os
from dataclasses import dataclass

import torch
from torch import nn

ACTIVATIONS = {"relu": nn.ReLU, "silu": nn.SiLU, "gelu": nn.GELU, "tanh": nn.Tanh}


@dataclass(frozen=True)
class DiffusionConfig:
    steps: int = 50
    width: int = 96
    depth: int = 4
    act: str = "SiLU"
    time_features: int = 16
    lr: float = 2e-3
    batch: int = 256
    updates: int = 900


def make_act(name):
    return ACTIVATIONS.get(name, nn.Identity)()


class Denoiser(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.freq = cfg.time_features // 2
        dims = [2 + cfg.time_features] + [cfg.width] * cfg.depth
        layers = []
        for i, o in zip(dims, dims[1:]):
            layers += [nn.Linear(i, o), make_act(cfg.act)]
        self.body = nn.Sequential(*layers, nn.Linear(cfg.width, 2))

    def forward(self, x, t):
        k = torch.arange(self.freq, dtype=torch.float32)
        ang = t[:, None] * math.pi * 2 ** (k / 2)
        return self.body(torch.cat([x, ang.sin(), ang.cos()], 1))


class Schedule:
    def __init__(self, n):
        self.beta = torch.linspace(1e-3, 0.15, n)
        self.alpha = 1 - self.beta
        self.bar = self.alpha.cumprod(0)
        self.n = n

    def noise(self, x0, t):
        eps = torch.randn_like(x0)
        a = self.bar[t][:, None]
        return a.sqrt() * x0 + (1 - a).sqrt() * eps, eps

    @torch.no_grad()
    def sample(self, model, n):
        x = torch.randn(n, 2)
        for i in reversed(range(self.n)):
            eps = model(x, torch.full((n,), i / self.n))
            x = (x - self.beta[i] / (1 - self.bar[i]).sqrt() * eps) / self.alpha[i].sqrt()
            if i:
                x = x + self.beta[i].sqrt() * torch.randn_like(x)
        return x


def modes(n):
    ang = torch.randint(0, 6, (n,)) * math.pi / 3
    return torch.stack([ang.cos(), ang.sin()], 1) * 1.4 + 0.07 * torch.randn(n, 2)


def main(cfg=DiffusionConfig()):
    torch.manual_seed(int(os.environ.get("SEED", 0)))
    model, sched = Denoiser(cfg), Schedule(cfg.steps)
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    lr = torch.optim.lr_scheduler.CosineAnnealingLR(opt, cfg.updates)
    seen = 0.0
    for it in range(1, cfg.updates + 1):
        x0 = modes(cfg.batch)
        t = torch.randint(0, cfg.steps, (cfg.batch,))
        xt, eps = sched.noise(x0, t)
        loss = (model(xt, t / cfg.steps) - eps).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        lr.step()
        seen += loss.item()
        if it % 150 == 0:
            s = sched.sample(model, 400)
            off = (s.norm(dim=1) - 1.4).abs().mean().item()
            print(f"{it:4d} loss {seen / 150:.4f}  distance of samples from the ring {off:.3f}")
            seen = 0.0


main()
