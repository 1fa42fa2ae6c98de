# fault: loss-misused
# cause_class: loss, regularisation
# family: vae
# split: held
import os
from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class VaeConfig:
    length: int = 60
    latent: int = 4
    width: int = 96
    beta: float = 1.0
    lr: float = 2e-3
    epochs: int = 14
    batch: int = 64


def gait(n, length):
    """One stride of a knee angle: depth, timing and cadence differ from person to person."""
    t = torch.linspace(0, 6.28, length)
    depth, shift, fast = torch.rand(n, 1) + 0.5, torch.rand(n, 1) * 3, 1 + torch.rand(n, 1)
    x = depth * torch.sin(fast * t + shift) + 0.4 * torch.sin(2 * fast * t) + 0.05 * torch.randn(n, length)
    return (x - x.mean()) / x.std()


class GaitVAE(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(c.length, c.width), nn.SiLU(), nn.Linear(c.width, c.width), nn.SiLU(),
                                 nn.Linear(c.width, 2 * c.latent))
        self.dec = nn.Sequential(nn.Linear(c.latent, c.width), nn.SiLU(), nn.Linear(c.width, c.width), nn.SiLU(),
                                 nn.Linear(c.width, c.length))

    def forward(self, x):
        mu, logvar = self.enc(x).chunk(2, -1)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp() if self.training else mu
        return self.dec(z), mu, logvar


def elbo(x, out, beta):
    rec, mu, logvar = out
    mse = nn.functional.mse_loss(rec, x)
    kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum()
    return mse + beta * kl, mse, kl


def main(c=VaeConfig()):
    torch.manual_seed(int(os.environ.get("SEED", 0)))
    data = gait(1920, c.length)
    loader = DataLoader(TensorDataset(data[:1600]), c.batch, shuffle=True)
    val = data[1600:]
    model = GaitVAE(c)
    opt = torch.optim.Adam(model.parameters(), lr=c.lr)
    for epoch in range(c.epochs):
        model.train()
        rec = kl = 0.0
        for (x,) in loader:
            loss, a, b = elbo(x, model(x), c.beta)
            opt.zero_grad()
            loss.backward()
            opt.step()
            rec, kl = rec + a.item() / len(loader), kl + b.item() / len(loader)
        model.eval()
        with torch.no_grad():
            out, mu, _ = model(val)
            err = (out - val).pow(2).mean().item()
        print(f"epoch {epoch:2d} rec {rec:.4f} kl {kl:.4f} val rec {err:.4f} spread of z {mu.std(0).mean().item():.4f}")


main()
