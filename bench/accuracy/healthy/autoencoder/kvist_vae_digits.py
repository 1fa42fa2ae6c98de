# fault: none
# family: autoencoder
# split: held
# needs: sklearn
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(int(os.environ.get("SEED", 0)))


class VAE(nn.Module):
    def __init__(self, z=6):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, 2 * z))
        self.dec = nn.Sequential(nn.Linear(z, 96), nn.ReLU(), nn.Linear(96, 64))

    def forward(self, x):
        mu, logvar = self.enc(x).chunk(2, 1)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return self.dec(z), mu, logvar


def elbo(logits, x, mu, logvar, beta):
    rec = F.binary_cross_entropy_with_logits(logits, x, reduction="none").sum(1).mean()
    kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean()
    return rec + beta * kl, rec, kl


x = torch.tensor(load_digits().data, dtype=torch.float32) / 16
x = x[torch.randperm(len(x))]
train, test = x[:1500], x[1500:]
vae = VAE()
opt = torch.optim.Adam(vae.parameters(), lr=2e-3)
step = 0
for epoch in range(20):
    for b in torch.randperm(1500).split(50):
        step += 1
        beta = min(1.0, step / 300)
        loss, rec, kl = elbo(*(lambda o: (o[0], train[b], o[1], o[2]))(vae(train[b])), beta)
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 3 == 1:
        with torch.no_grad():
            o, m, lv = vae(test)
            t, r, k = elbo(o, test, m, lv, 1.0)
        print(f"epoch {epoch} beta {beta:.2f} train {loss.item():.3f} test {t.item():.3f} = {r.item():.3f} + {k.item():.3f}")
