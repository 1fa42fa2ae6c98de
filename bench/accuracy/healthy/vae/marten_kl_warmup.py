# fault: none
# family: vae
# split: held
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))


def crosses(n, size=10):
    """Binary pictures of crosses at any place."""
    r, c = torch.randint(1, size - 1, (2, n))
    img = torch.zeros(n, size, size)
    k = torch.arange(n)
    img[k, r] = 1
    img[k, :, c] = 1
    flip = torch.rand_like(img) < 0.02
    return torch.where(flip, 1 - img, img).flatten(1)


class VAE(nn.Module):
    def __init__(self, n=100, h=96, z=6):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(n, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU())
        self.mu, self.logvar = nn.Linear(h, z), nn.Linear(h, z)
        self.dec = nn.Sequential(nn.Linear(z, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU(), nn.Linear(h, n))

    def forward(self, x):
        h = self.enc(x)
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar) if self.training else mu
        return self.dec(z), mu, logvar


def terms(x, out, mu, logvar):
    rec = F.binary_cross_entropy_with_logits(out, x, reduction="none").sum(1).mean()
    kl = -0.5 * (1 + logvar - mu ** 2 - logvar.exp()).sum(1).mean()
    return rec, kl


vae = VAE()
opt = torch.optim.Adam(vae.parameters(), lr=2e-3)
loader = DataLoader(TensorDataset(crosses(2000)), batch_size=50, shuffle=True)
test, step = crosses(300), 0
for epoch in range(15):
    vae.train()
    sums = torch.zeros(2)
    for (x,) in loader:
        beta = min(1.0, step / 300)
        rec, kl = terms(x, *vae(x))
        opt.zero_grad()
        (rec + beta * kl).backward()
        opt.step()
        sums += torch.tensor([rec.item(), kl.item()]) / len(loader)
        step += 1
    vae.eval()
    with torch.no_grad():
        rec, kl = terms(test, *vae(test))
    print(f"epoch {epoch:2d} beta {beta:.2f} reconstruction {sums[0]:.2f} kl {sums[1]:.2f} | test {rec.item():.2f} {kl.item():.2f}")
