# fault: not-in-optimiser
# cause_class: not-updated, optimizer
# family: generative
# split: held
# set: tapir, unseen
import math
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))

CONFIG = {
    "latent": 4,
    "gen": {"hidden": 64, "lr": 1e-3},
    "disc": {"hidden": 64, "lr": 1e-3},
    "betas": (0.5, 0.99),
    "batch": 128,
    "steps": 900,
}


def moons(n):
    t = math.pi * torch.rand(n)
    up = torch.rand(n) < 0.5
    x = torch.where(up, torch.cos(t), 1 - torch.cos(t))
    y = torch.where(up, torch.sin(t), 0.5 - torch.sin(t))
    return torch.stack([x - 0.5, y - 0.25], 1) + 0.05 * torch.randn(n, 2)


def mlp(i, h, o):
    return nn.Sequential(nn.Linear(i, h), nn.LeakyReLU(0.2), nn.Linear(h, h), nn.LeakyReLU(0.2), nn.Linear(h, o))


class Adversary:
    def __init__(self, cfg):
        self.cfg = cfg
        self.nets = {"gen": mlp(cfg["latent"], cfg["gen"]["hidden"], 2), "disc": mlp(2, cfg["disc"]["hidden"], 1)}
        self.opts = {}
        for name, net in self.nets.items():
            self.opts[name] = self.make_optimizer(cfg[name]["lr"])
        self.bce = nn.BCEWithLogitsLoss()

    def make_optimizer(self, lr, part="disc"):
        return torch.optim.Adam(self.nets[part].parameters(), lr=lr, betas=self.cfg["betas"])

    def fake(self, n):
        return self.nets["gen"](torch.randn(n, self.cfg["latent"]))

    def step(self):
        n = self.cfg["batch"]
        real, fake = moons(n), self.fake(n)
        d_loss = self.bce(self.nets["disc"](real), torch.full((n, 1), 0.9)) + \
            self.bce(self.nets["disc"](fake.detach()), torch.zeros(n, 1))
        self.opts["disc"].zero_grad()
        d_loss.backward()
        self.opts["disc"].step()

        for p in self.nets["disc"].parameters():
            p.requires_grad_(False)
        g_loss = self.bce(self.nets["disc"](self.fake(n)), torch.ones(n, 1))
        self.nets["gen"].zero_grad()
        self.opts["gen"].zero_grad()
        g_loss.backward()
        self.opts["gen"].step()
        for p in self.nets["disc"].parameters():
            p.requires_grad_(True)
        return d_loss.item(), g_loss.item()


gan = Adversary(CONFIG)
for i in range(CONFIG["steps"]):
    d, g = gan.step()
    if (i + 1) % 150 == 0:
        with torch.no_grad():
            f, r = gan.fake(1000), moons(1000)
            gap = torch.cdist(f, r).min(1).values.mean().item()
        print(f"{i + 1}: D {d:.3f} G {g:.3f} distance to data {gap:.3f}")
