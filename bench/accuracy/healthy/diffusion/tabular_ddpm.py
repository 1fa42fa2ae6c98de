# fault: none
# family: diffusion
# split: held
"""Denoising diffusion of two correlated columns with an EMA copy for sampling; the loss has a high floor."""
import copy
import math
import os
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class DiffusionConfig:
    steps: int = 40
    width: int = 96
    batch: int = 256
    updates: int = 1500
    lr: float = 4e-3
    ema: float = 0.98


def table(n):
    k = torch.randint(0, 3, (n,))
    a = k.float() * 2 * math.pi / 3
    return torch.stack([a.cos(), a.sin()], 1) * 1.2 + 0.1 * torch.randn(n, 2)


class Denoiser(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.time = nn.Embedding(cfg.steps, 16)
        self.net = nn.Sequential(nn.Linear(18, cfg.width), nn.SiLU(), nn.Linear(cfg.width, cfg.width), nn.SiLU(),
                                 nn.Linear(cfg.width, 2))

    def forward(self, x, t):
        return self.net(torch.cat([x, self.time(t)], 1))


class Diffusion:
    def __init__(self, cfg):
        self.cfg = cfg
        self.beta = torch.linspace(1e-3, 0.2, cfg.steps)
        self.alpha = 1 - self.beta
        self.bar = self.alpha.cumprod(0)

    def loss(self, model, x0):
        t = torch.randint(0, self.cfg.steps, (len(x0),))
        eps = torch.randn_like(x0)
        b = self.bar[t][:, None]
        return nn.functional.mse_loss(model(b.sqrt() * x0 + (1 - b).sqrt() * eps, t), eps)

    @torch.no_grad()
    def sample(self, model, n):
        x = torch.randn(n, 2)
        for t in reversed(range(self.cfg.steps)):
            eps = model(x, torch.full((n,), t))
            x = (x - self.beta[t] / (1 - self.bar[t]).sqrt() * eps) / self.alpha[t].sqrt()
            if t:
                x = x + self.beta[t].sqrt() * torch.randn_like(x)
        return x


def main():
    torch.manual_seed(int(os.environ.get("SEED", "0")))
    cfg = DiffusionConfig()
    model, diffusion = Denoiser(cfg), Diffusion(cfg)
    ema = copy.deepcopy(model).requires_grad_(False)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, cfg.updates)
    window = []
    for step in range(1, cfg.updates + 1):
        loss = diffusion.loss(model, table(cfg.batch))
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        with torch.no_grad():
            for e, p in zip(ema.parameters(), model.parameters()):
                e.lerp_(p, 1 - cfg.ema)
        window.append(loss.item())
        if step % 250 == 0:
            print(f"step {step} loss {sum(window[-100:]) / 100:.4f}")
    s = diffusion.sample(ema, 1000)
    print(f"samples: radius {s.norm(dim=1).mean():.3f}, spread of radius {s.norm(dim=1).std():.3f}")


if __name__ == "__main__":
    main()
