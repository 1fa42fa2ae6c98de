# fault: none
# family: generative
# split: held
# set: heron, unseen
# metric: negative_elbo_nats lower
# baseline: 41.7
# reaches: 23.0
# Unusual: the KL weight grows from 0 to 1, so the training objective goes up at the start of the warm-up although the model gets better; sum reduction
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


def bars(n, gen):
    rows = torch.rand(n, 8, 1, generator=gen) < 0.2
    cols = torch.rand(n, 1, 8, generator=gen) < 0.2
    img = (rows | cols).float().expand(n, 8, 8)
    flip = torch.rand(n, 8, 8, generator=gen) < 0.02
    return torch.where(flip, 1 - img, img).reshape(n, 64)


class VAE(nn.Module):
    def __init__(self, latent=16, hidden=128):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(64, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.mu, self.logvar = nn.Linear(hidden, latent), nn.Linear(hidden, latent)
        self.dec = nn.Sequential(nn.Linear(latent, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 64))

    def forward(self, x):
        h = self.enc(x)
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        recon = F.binary_cross_entropy_with_logits(self.dec(z), x, reduction="none").sum(1)
        kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1)
        return recon, kl


seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)
gen = torch.Generator().manual_seed(1000 + seed)
train, test = bars(4000, gen), bars(1000, gen)
loader = DataLoader(TensorDataset(train), batch_size=100, shuffle=True)
vae = VAE()
opt = torch.optim.Adam(vae.parameters(), lr=2e-3)
p = train.mean(0).clamp(1e-3, 1 - 1e-3)
print("independent pixels:", -(test * p.log() + (1 - test) * (1 - p).log()).sum(1).mean().item())

EPOCHS = 30
for epoch in range(EPOCHS):
    vae.train()
    for i, (x,) in enumerate(loader):
        beta = min(1.0, (epoch + i / len(loader)) / 10)
        recon, kl = vae(x)
        loss = (recon + beta * kl).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 3 == 0:
        vae.eval()
        with torch.no_grad():
            recon, kl = vae(test)
        print(f"epoch {epoch:2d} beta {beta:.2f} objective {loss.item():.2f} recon {recon.mean():.2f} kl {kl.mean():.2f}")

vae.eval()
with torch.no_grad():
    elbo = torch.stack([sum(vae(test)).mean() for _ in range(8)]).mean().item()
print(f"result: negative_elbo_nats {elbo:.4f}")
