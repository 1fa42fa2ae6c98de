# fault: output-range
# cause_class: output-activation, activation, structure
# family: diffusion
# split: held
import argparse
import math
import os

import torch
from torch import nn


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=1000)
    p.add_argument("--T", type=int, default=100)
    p.add_argument("--width", type=int, default=96)
    p.add_argument("--depth", type=int, default=3)
    p.add_argument("--lr", type=float, default=2e-3)
    return p.parse_args([])


def moons(n):
    t = math.pi * torch.rand(n)
    flip = (torch.rand(n) < 0.5).float()
    x = torch.cos(t) * (1 - 2 * flip) + flip
    y = torch.sin(t) * (1 - 2 * flip) + 0.5 * flip
    pts = torch.stack([x, y], 1) + 0.05 * torch.randn(n, 2)
    return (pts - torch.tensor([0.5, 0.25])) / torch.tensor([0.87, 0.5])


def block(i, o):
    return nn.Sequential(nn.Linear(i, o), nn.ReLU())


class Denoiser(nn.Module):
    def __init__(self, width, depth, emb=32):
        super().__init__()
        self.freq = nn.Buffer(torch.exp(torch.linspace(0, 5, emb // 2)))
        dims = [2 + emb] + [width] * depth + [2]
        self.body = nn.Sequential(*[block(a, b) for a, b in zip(dims, dims[1:])])

    def forward(self, x, t):
        ang = t[:, None] * self.freq
        return self.body(torch.cat([x, ang.sin(), ang.cos()], 1))


class Schedule:
    def __init__(self, T):
        beta = torch.linspace(1e-3, 0.08, T)
        self.beta, self.T = beta, T
        self.abar = torch.cumprod(1 - beta, 0)

    def noise(self, x0, t, eps):
        a = self.abar[t][:, None]
        return a.sqrt() * x0 + (1 - a).sqrt() * eps

    @torch.no_grad()
    def sample(self, net, n):
        x = torch.randn(n, 2)
        for i in reversed(range(self.T)):
            t = torch.full((n,), i / self.T)
            e = net(x, t)
            x = (x - self.beta[i] / (1 - self.abar[i]).sqrt() * e) / (1 - self.beta[i]).sqrt()
            if i:
                x = x + self.beta[i].sqrt() * torch.randn_like(x)
        return x


def main(a):
    torch.manual_seed(int(os.environ.get("SEED", "0")))
    net, sch = Denoiser(a.width, a.depth), Schedule(a.T)
    opt = torch.optim.Adam(net.parameters(), lr=a.lr)
    cos = torch.optim.lr_scheduler.CosineAnnealingLR(opt, a.steps)
    avg = None
    for step in range(a.steps):
        x0 = moons(256)
        t = torch.randint(0, a.T, (256,))
        eps = torch.randn_like(x0)
        loss = nn.functional.mse_loss(net(sch.noise(x0, t, eps), t / a.T), eps)
        opt.zero_grad()
        loss.backward()
        opt.step()
        cos.step()
        avg = loss.item() if avg is None else 0.98 * avg + 0.02 * loss.item()
        if step % 100 == 0:
            print(f"step {step} mse {avg:.4f}")
    s = sch.sample(net, 500)
    print("samples mean", [round(v, 2) for v in s.mean(0).tolist()], "std", [round(v, 2) for v in s.std(0).tolist()])


main(parse())
