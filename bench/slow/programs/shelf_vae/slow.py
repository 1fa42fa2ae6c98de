"""Variational autoencoder of shelf profiles (heights of goods along a shelf)."""
import time

import torch
import torch.nn as nn
import torch.nn.functional as F


def shelves(n, generator):
    """A shelf of 400 cells with five boxes of random place, width and height."""
    cells = torch.arange(400.0)
    out = torch.zeros(n, 400)
    for _ in range(5):
        left = 400 * torch.rand(n, 1, generator=generator)
        width = 20 + 60 * torch.rand(n, 1, generator=generator)
        height = torch.rand(n, 1, generator=generator)
        inside = ((cells > left) & (cells < left + width)).float()
        out = torch.maximum(out, inside * height)
    return out


class VAE(nn.Module):
    def __init__(self, latent=12):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(400, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 2 * latent))
        self.dec = nn.Sequential(nn.Linear(latent, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 400))

    def forward(self, x):
        mean, logvar = self.enc(x).chunk(2, dim=1)
        z = mean + torch.randn_like(mean) * (0.5 * logvar).exp()
        return self.dec(z), mean, logvar


def elbo(x, out, mean, logvar, beta):
    reconstruction = F.mse_loss(out, x, reduction="sum") / len(x)
    kl = -0.5 * (1 + logvar - mean**2 - logvar.exp()).sum() / len(x)
    return reconstruction + beta * kl, reconstruction, kl


generator = torch.Generator().manual_seed(2)
torch.manual_seed(2)
train_x = shelves(16384, generator)
valid_x = shelves(2048, generator)

vae = VAE()
optimizer = torch.optim.Adam(vae.parameters(), lr=1e-3)
train_losses, valid_losses = [], []
began = time.time()
for epoch in range(15):
    beta = min(1.0, 0.02 + epoch / 10) * 0.05
    for i, idx in enumerate(torch.randperm(len(train_x)).split(256)):
        x = train_x[idx]
        loss, reconstruction, kl = elbo(x, *vae(x), beta)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        train_losses.append(loss.item())
        if i % 4 == 0:
            v = valid_x[torch.randint(len(valid_x), (256,))]
            valid_loss, _, _ = elbo(v, *vae(v), beta)
            valid_losses.append(valid_loss)
    recent = torch.stack(valid_losses[-16:]).mean().item()
    print(f"epoch {epoch + 1:2d}  train {sum(train_losses[-64:]) / 64:.3f}  valid {recent:.3f}  {time.time() - began:.1f} s")
best = min(range(len(valid_losses)), key=lambda k: valid_losses[k].item())
print(f"best validation {valid_losses[best].item():.3f} at check {best + 1} of {len(valid_losses)}")
