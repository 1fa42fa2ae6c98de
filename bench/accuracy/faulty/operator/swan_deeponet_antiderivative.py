# fault: identical-batches
# cause_class: data-loading, overfit
# family: operator
# split: tune
# DeepONet learning the antiderivative of random Fourier series
import os
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Conf:
    sensors: int = 40
    modes: int = 5
    batch: int = 16
    queries: int = 20
    latent: int = 32
    width: int = 64
    steps: int = 1000
    lr: float = 2e-3
    seed: int = int(os.environ.get("SEED", "0"))


class FunctionSampler:
    """Random functions v on [0, 1] with their integral from 0."""

    def __init__(self, conf, seed):
        self.c, self.seed = conf, seed
        self.k = torch.arange(1, conf.modes + 1) * torch.pi
        self.grid = torch.linspace(0, 1, conf.sensors)

    def __call__(self, n):
        gen = torch.Generator().manual_seed(self.seed)
        a = torch.randn(n, self.c.modes, generator=gen) / torch.arange(1, self.c.modes + 1)
        x = torch.rand(n, self.c.queries, generator=gen)
        v = a @ torch.cos(self.k[:, None] * self.grid)
        s = torch.einsum("nm,nqm->nq", a / self.k, torch.sin(self.k * x[..., None]))
        return v, x, s / 0.25


def net(i, w, o):
    return nn.Sequential(nn.Linear(i, w), nn.GELU(), nn.Linear(w, w), nn.GELU(), nn.Linear(w, o))


class DeepONet(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.branch, self.trunk = net(c.sensors, c.width, c.latent), net(1, c.width, c.latent)
        self.bias = nn.Parameter(torch.zeros(()))

    def forward(self, v, x):
        return torch.einsum("nl,nql->nq", self.branch(v), self.trunk(x[..., None])) / 6 + self.bias


def main(c=Conf()):
    torch.manual_seed(c.seed)
    train, test = FunctionSampler(c, c.seed), FunctionSampler(c, c.seed + 1)
    model = DeepONet(c)
    opt = torch.optim.Adam(model.parameters(), lr=c.lr)
    sched = torch.optim.lr_scheduler.ExponentialLR(opt, 0.998)
    val = test(200)
    for step in range(c.steps):
        v, x, s = train(c.batch)
        loss = (model(v, x) - s).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        if step % 100 == 0 or step == c.steps - 1:
            with torch.no_grad():
                err = (model(val[0], val[1]) - val[2]).pow(2).mean()
            print(f"step {step:4d} train {loss.item():.5f} new functions {err.item():.5f}")


if __name__ == "__main__":
    main()
