# fault: none
# family: generative
# split: held
# set: badger, unseen
# metric: bits_per_pixel lower
# baseline: 0.6
# reaches: 0.38
# Unusual: the KL weight goes from 0 to 1 twice (cyclic), so the training loss rises for long stretches although all is well; sums over pixels, values of O(100).
import math
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_num_threads(1)
torch.manual_seed(int(os.environ.get("SEED", 0)))
S, Z = 16, 6


def bars_and_discs(n):
    """Binary pictures: one disc and one bar, each at a place and of a size of its own."""
    g = torch.arange(S).float()
    yy, xx = g[None, :, None], g[None, None, :]
    c = torch.rand(n, 2, 1, 1) * 10 + 3
    r = torch.rand(n, 1, 1) * 2.5 + 1.5
    disc = (yy - c[:, 0]) ** 2 + (xx - c[:, 1]) ** 2 < r ** 2
    pos = torch.rand(n, 1, 1) * S
    bar = ((yy - pos).abs() < 1.0) & (xx < torch.rand(n, 1, 1) * S)
    img = (disc | bar).float()
    flip = torch.rand_like(img) < 0.01
    return torch.where(flip, 1 - img, img).flatten(1)


class VAE(nn.Module):
    def __init__(self, h=160):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(S * S, h), nn.ELU(), nn.Linear(h, h), nn.ELU(), nn.Linear(h, 2 * Z))
        self.dec = nn.Sequential(nn.Linear(Z, h), nn.ELU(), nn.Linear(h, h), nn.ELU(), nn.Linear(h, S * S))

    def terms(self, x):
        mu, logvar = self.enc(x - 0.2).chunk(2, 1)
        z = mu + (0.5 * logvar).exp() * torch.randn_like(mu)
        rec = F.binary_cross_entropy_with_logits(self.dec(z), x, reduction="none").sum(1)
        kl = 0.5 * (mu ** 2 + logvar.exp() - 1 - logvar).sum(1)
        return rec.mean(), kl.mean()


def beta_at(step, period=300):
    return min(1.0, (step % period) / (0.6 * period))


train, test = bars_and_discs(6000), bars_and_discs(1000)
vae = VAE()
opt = torch.optim.Adamax(vae.parameters(), lr=4e-3)
for step in range(600):
    x = train[torch.randint(len(train), (100,))]
    rec, kl = vae.terms(x)
    loss = rec + beta_at(step) * kl
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 30 == 29:
        print(f"step {step + 1} beta {beta_at(step):.2f} loss {loss.item():.2f} rec {rec.item():.2f} kl {kl.item():.2f}")

with torch.no_grad():
    parts = torch.tensor([[t.item() for t in vae.terms(test)] for _ in range(10)]).mean(0)
    bits = parts.sum().item() / (S * S) / math.log(2)
    p = train.mean(0).clamp(1e-3, 1 - 1e-3)
    triv = F.binary_cross_entropy(p.expand_as(test), test).item() / math.log(2)
print("independent pixels:", round(triv, 4))
print(f"result: bits_per_pixel {bits:.4f}")
