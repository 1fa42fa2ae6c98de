# fault: loss-misused
# cause_class: loss, regularisation
# family: autoencoder
# split: tune
"""VAE over 12x12 product icons."""
import argparse
import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class VAE(nn.Module):
    def __init__(self, d, hidden, latent):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(d, hidden), nn.GELU())
        self.mu, self.logvar = nn.Linear(hidden, latent), nn.Linear(hidden, latent)
        self.dec = nn.Sequential(nn.Linear(latent, hidden), nn.GELU(), nn.Linear(hidden, d))

    def forward(self, x):
        h = self.enc(x)
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp() if self.training else mu
        return self.dec(z), mu, logvar


def elbo_terms(x, recon, mu, logvar):
    rec = F.mse_loss(recon, x)
    kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean()
    return rec, kl


def icons(n, size=12):
    yy, xx = torch.meshgrid(torch.linspace(-1, 1, size), torch.linspace(-1, 1, size), indexing="ij")
    cx, cy = torch.rand(2, n, 1, 1) - 0.5
    w = 0.15 + 0.4 * torch.rand(n, 1, 1)
    img = torch.exp(-((xx - cx) ** 2 + (yy - cy) ** 2) / w ** 2)
    img = (img - 0.3) / 0.35 + 0.05 * torch.randn(n, size, size)
    return TensorDataset(img.flatten(1))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--latent", type=int, default=6)
    p.add_argument("--hidden", type=int, default=96)
    p.add_argument("--beta", type=float, default=1.0)
    p.add_argument("--epochs", type=int, default=10)
    a, _ = p.parse_known_args()
    torch.manual_seed(int(os.environ.get("SEED", "0")))
    train, valid = icons(3000), icons(500).tensors[0]
    model = VAE(144, a.hidden, a.latent)
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(a.epochs):
        model.train()
        sums = torch.zeros(2)
        loader = DataLoader(train, 64, shuffle=True)
        for (x,) in loader:
            rec, kl = elbo_terms(x, *model(x))
            opt.zero_grad()
            (rec + a.beta * kl).backward()
            opt.step()
            sums += torch.stack([rec, kl]).detach() / len(loader)
        model.eval()
        with torch.no_grad():
            recon, mu, _ = model(valid)
        print(f"epoch {epoch} rec {sums[0]:.4f} kl {sums[1]:.4f} | valid rec {F.mse_loss(recon, valid):.4f} "
              f"of {valid.var():.4f}, std of mu {mu.std(0).mean():.4f}")


if __name__ == "__main__":
    main()
