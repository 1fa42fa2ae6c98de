# fault: none
# family: autoencoder
# split: tune
# VAE whose KL weight rises from 0 to 1: the total loss rises for a while although all is well.
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))


class VAE(nn.Module):
    def __init__(self, d=16, h=48, z=3):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(d, h), nn.ReLU())
        self.mu, self.logvar = nn.Linear(h, z), nn.Linear(h, z)
        self.dec = nn.Sequential(nn.Linear(z, h), nn.ReLU(), nn.Linear(h, d))

    def forward(self, x):
        h = self.enc(x)
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)
        return self.dec(z), mu, logvar


mix = torch.randn(3, 16)
data = (torch.randn(2000, 3) @ mix > 0).float()
model = VAE()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
kls, recs, losses = [], [], []
for step in range(300):
    x = data[torch.randint(0, 2000, (64,))]
    logits, mu, logvar = model(x)
    rec = F.binary_cross_entropy_with_logits(logits, x, reduction="sum") / len(x)
    kl = -0.5 * (1 + logvar - mu**2 - logvar.exp()).sum(1).mean()
    beta = min(1.0, step / 200)
    loss = rec + beta * kl
    opt.zero_grad()
    loss.backward()
    opt.step()
    recs.append(rec.item()), kls.append(kl.item()), losses.append(loss.item())
print(f"reconstruction {recs[0]:.3f} to {recs[-1]:.3f}, KL {kls[0]:.3f} to {kls[-1]:.3f}")
print(f"loss first {losses[0]:.4f} last {losses[-1]:.4f}")
