# fault: none
# family: vae
# split: held
"""Growth curves of bacteria: VAE whose KL weight is raised slowly; the total rises while the reconstruction falls."""
import os

import torch
from torch import nn

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)
HOURS = torch.linspace(0, 24, 32)


def curves(n):
    lag = 2 + 8 * torch.rand(n, 1)
    rate = 0.3 + 0.9 * torch.rand(n, 1)
    top = 0.5 + torch.rand(n, 1)
    od = top / (1 + torch.exp(-rate * (HOURS - lag))) + 0.02 * torch.randn(n, 32)
    return (od - 0.7) / 0.45


class VAE(nn.Module):
    def __init__(self, latent=4):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(32, 64), nn.SiLU(), nn.Linear(64, 2 * latent))
        self.dec = nn.Sequential(nn.Linear(latent, 64), nn.SiLU(), nn.Linear(64, 32))

    def forward(self, x):
        mu, logvar = self.enc(x).chunk(2, 1)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        kl = -0.5 * (1 + logvar - mu.square() - logvar.exp()).sum(1).mean()
        return self.dec(z), kl


def elbo_terms(model, x, sigma=0.1):
    out, kl = model(x)
    recon = ((out - x).square() / (2 * sigma ** 2)).sum(1).mean()
    return recon, kl


model = VAE()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
test = curves(500)
for step in range(900):
    beta = min(1.0, step / 500)
    recon, kl = elbo_terms(model, curves(64))
    loss = recon + beta * kl
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 150 == 149:
        with torch.no_grad():
            r, k = elbo_terms(model, test)
        print(f"{step + 1} beta {beta:.2f} loss {loss.item():.2f} test reconstruction {r.item():.2f} KL {k.item():.2f}")
