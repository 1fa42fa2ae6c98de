# fault: none
# family: vae
# split: tune
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))


class VAE(nn.Module):
    def __init__(self, d=36, z=3):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(d, 64), nn.ReLU())
        self.mu, self.logvar = nn.Linear(64, z), nn.Linear(64, z)
        self.dec = nn.Sequential(nn.Linear(z, 64), nn.ReLU(), nn.Linear(64, d))

    def forward(self, x):
        h = self.enc(x)
        mu, lv = self.mu(h), self.logvar(h)
        z = mu + torch.randn_like(mu) * (0.5 * lv).exp()
        return self.dec(z), mu, lv


g = torch.arange(6).float()


def blobs(n):
    c = 1 + 3 * torch.rand(n, 2, 1, 1)
    p = torch.exp(-((g[None, :, None] - c[:, 0]) ** 2 + (g[None, None] - c[:, 1]) ** 2) / 1.5)
    return torch.bernoulli(p).flatten(1)


data = blobs(2500)
model = VAE()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
step = 0
for epoch in range(12):
    rec_t = kl_t = 0.0
    for b in torch.randperm(2500).split(50):
        x = data[b]
        out, mu, lv = model(x)
        rec = F.binary_cross_entropy_with_logits(out, x, reduction="none").sum(1).mean()
        kl = -0.5 * (1 + lv - mu ** 2 - lv.exp()).sum(1).mean()
        loss = rec + min(1.0, step / 200) * kl
        opt.zero_grad()
        loss.backward()
        opt.step()
        step += 1
        rec_t, kl_t = rec_t + rec.item(), kl_t + kl.item()
    print(f"{epoch} reconstruction {rec_t / 50:.3f} kl {kl_t / 50:.3f}")
