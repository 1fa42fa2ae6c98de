# fault: none
# family: generative
# split: tune
# VQ-VAE: codes by nearest neighbour, straight-through gradient, codebook by moving average (a buffer).
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))


class Quantiser(nn.Module):
    def __init__(self, k, d, decay=0.9):
        super().__init__()
        self.decay = decay
        self.register_buffer("codes", 0.5 * torch.randn(k, d))
        self.register_buffer("size", torch.ones(k))
        self.register_buffer("sums", self.codes.clone())

    def forward(self, z):
        idx = torch.cdist(z.detach(), self.codes).argmin(1)
        q = self.codes[idx]
        if self.training:
            with torch.no_grad():
                hot = F.one_hot(idx, len(self.codes)).type_as(z)
                self.size.lerp_(hot.sum(0), 1 - self.decay)
                self.sums.lerp_(hot.T @ z, 1 - self.decay)
                self.codes.copy_(self.sums / (self.size[:, None] + 1e-3))
        commit = F.mse_loss(z, q.detach())
        return z + (q - z).detach(), commit


class VQVAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(20, 48), nn.ReLU(), nn.Linear(48, 4))
        self.vq = Quantiser(32, 4)
        self.dec = nn.Sequential(nn.Linear(4, 48), nn.ReLU(), nn.Linear(48, 20))

    def forward(self, x):
        q, commit = self.vq(self.enc(x))
        return self.dec(q), commit


kinds = torch.randn(16, 20)
model = VQVAE()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
hist = []
for step in range(300):
    x = kinds[torch.randint(0, 16, (96,))] + 0.15 * torch.randn(96, 20)
    recon, commit = model(x)
    loss = F.mse_loss(recon, x) + 0.25 * commit
    opt.zero_grad()
    loss.backward()
    opt.step()
    hist.append(loss.item())
print(f"loss first {hist[0]:.4f} last {hist[-1]:.4f}")
