# fault: labels-shuffled
# cause_class: labels, loss
# family: diffusion
# split: held
import copy
import math
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


def set_seed() -> None:
    torch.manual_seed(int(os.environ.get("SEED", "0")))


class GaussianDiffusion:
    """DDPM forward / reverse process with a cosine schedule."""

    def __init__(self, steps: int = 50):
        s = 0.008
        t = torch.linspace(0, 1, steps + 1)
        f = torch.cos((t + s) / (1 + s) * math.pi / 2) ** 2
        betas = (1 - f[1:] / f[:-1]).clamp(max=0.999)
        self.steps = steps
        self.betas = betas
        self.alphas = 1 - betas
        self.abar = torch.cumprod(self.alphas, 0)

    def q_sample(self, x0: Tensor, t: Tensor) -> Tensor:
        a = self.abar[t].unsqueeze(1)
        return a.sqrt() * x0 + (1 - a).sqrt() * torch.randn_like(x0)

    def loss(self, model: nn.Module, x0: Tensor) -> Tensor:
        t = torch.randint(0, self.steps, (x0.size(0),))
        noise = torch.randn_like(x0)
        xt = self.q_sample(x0, t)
        return F.mse_loss(model(xt, t), noise)

    @torch.no_grad()
    def sample(self, model: nn.Module, n: int) -> Tensor:
        x = torch.randn(n, 2)
        for i in reversed(range(self.steps)):
            eps = model(x, torch.full((n,), i))
            mean = (x - self.betas[i] / (1 - self.abar[i]).sqrt() * eps) / self.alphas[i].sqrt()
            x = mean + (self.betas[i].sqrt() * torch.randn_like(x) if i else 0.0)
        return x


class Denoiser(nn.Module):
    def __init__(self, width: int = 96, temb: int = 16):
        super().__init__()
        self.freq = nn.Parameter(torch.exp(torch.linspace(0, 4, temb // 2)), requires_grad=False)
        self.inp = nn.Linear(2 + temb, width)
        self.mid = nn.ModuleList([nn.Linear(width, width) for _ in range(2)])
        self.out = nn.Linear(width, 2)

    def forward(self, x: Tensor, t: Tensor) -> Tensor:
        ph = t.float().unsqueeze(1) / 50.0 * self.freq
        h = F.silu(self.inp(torch.cat([x, ph.sin(), ph.cos()], 1)))
        for lin in self.mid:
            h = h + F.silu(lin(h))
        return self.out(h)


def spiral(n: int) -> Tensor:
    th = torch.rand(n).sqrt() * 3 * math.pi
    r = th / (3 * math.pi) * 2
    return torch.stack([r * th.cos(), r * th.sin()], 1) + 0.03 * torch.randn(n, 2)


def main() -> None:
    set_seed()
    diff, net = GaussianDiffusion(), Denoiser()
    ema = copy.deepcopy(net).requires_grad_(False)
    opt = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=1e-4)
    ref = spiral(1500)
    avg = None
    for step in range(1, 501):
        loss = diff.loss(net, spiral(128))
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        with torch.no_grad():
            for e, p in zip(ema.parameters(), net.parameters()):
                e.lerp_(p, 0.02)
        avg = loss.item() if avg is None else 0.98 * avg + 0.02 * loss.item()
        if step % 100 == 0:
            d = torch.cdist(diff.sample(ema, 200), ref).min(1).values.mean()
            print(f"step {step:5d}  eps-mse {avg:.3f}  distance of samples to data {d.item():.3f}")


if __name__ == "__main__":
    main()
