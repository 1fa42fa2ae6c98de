# fault: none
# family: autoencoder
# split: held
import os
from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Settings:
    channels: int = 32
    hidden: int = 64
    code: int = 6
    lr: float = 3e-3
    epochs: int = 12
    batch: int = 64
    noise: float = 0.2


class Plant:
    """Readings of 32 channels that depend on five hidden states of the machine."""

    def __init__(self, s):
        self.mix = torch.randn(5, s.channels)

    def normal(self, n):
        z = torch.randn(n, 5)
        return (torch.tanh(z @ self.mix / 2) + 0.1 * torch.randn(n, self.mix.shape[1])) / 0.7

    def broken(self, n):
        x = self.normal(n)
        for r in x:
            k = torch.randperm(len(r))[:6]
            r[k] = r[k[torch.randperm(6)]] + 0.5
        return x


class DAE(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.noise = s.noise
        self.enc = nn.Sequential(nn.Linear(s.channels, s.hidden), nn.SiLU(), nn.Linear(s.hidden, s.code))
        self.dec = nn.Sequential(nn.Linear(s.code, s.hidden), nn.SiLU(), nn.Linear(s.hidden, s.channels))

    def forward(self, x):
        if self.training:
            x = x + self.noise * torch.randn_like(x)
        return self.dec(self.enc(x))


def auroc(neg, pos):
    return (pos[:, None] > neg[None]).float().mean().item()


def main(s=Settings()):
    torch.manual_seed(int(os.environ.get("SEED", 0)))
    plant = Plant(s)
    loader = DataLoader(TensorDataset(plant.normal(2400)), s.batch, shuffle=True, drop_last=True)
    good, bad = plant.normal(400), plant.broken(400)
    model = DAE(s)
    opt = torch.optim.AdamW(model.parameters(), lr=s.lr, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, 4 * len(loader), eta_min=1e-5)
    for epoch in range(s.epochs):
        model.train()
        tot = 0.0
        for (x,) in loader:
            with torch.autocast("cpu", dtype=torch.bfloat16):
                y = model(x)
            loss = (y.float() - x).pow(2).mean()
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            sched.step()
            tot += loss.item()
        model.eval()
        with torch.no_grad():
            e = [(model(d) - d).pow(2).mean(1) for d in (good, bad)]
        print(f"epoch {epoch:2d} train {tot / len(loader):.4f} good {e[0].mean().item():.4f} auroc {auroc(*e):.3f}")


main()
