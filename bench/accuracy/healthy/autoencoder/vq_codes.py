# fault: none
# family: autoencoder
# split: held
"""VQ-VAE on small waveforms: straight-through estimator, EMA codebook, commitment loss."""
import os

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


class EMAQuantizer(nn.Module):
    def __init__(self, n_codes, dim, decay=0.95, beta=0.25):
        super().__init__()
        self.decay, self.beta = decay, beta
        self.register_buffer("codes", torch.randn(n_codes, dim))
        self.register_buffer("count", torch.ones(n_codes))
        self.register_buffer("total", self.codes.clone())

    def forward(self, z):
        flat = z.reshape(-1, z.shape[-1])
        index = torch.cdist(flat.detach(), self.codes).argmin(1)
        if self.training:
            self.update(flat.detach(), index)
        q = self.codes[index].view_as(z)
        commit = self.beta * F.mse_loss(z, q.detach())
        return z + (q - z).detach(), commit, index

    @torch.no_grad()
    def update(self, flat, index):
        one_hot = F.one_hot(index, len(self.codes)).float()
        self.count.lerp_(one_hot.sum(0), 1 - self.decay)
        self.total.lerp_(one_hot.t() @ flat, 1 - self.decay)
        self.codes.copy_(self.total / self.count.clamp(min=0.1)[:, None])
        idle = self.count < 0.2
        if idle.any():
            pick = flat[torch.randint(0, len(flat), (int(idle.sum()),))]
            self.codes[idle], self.total[idle], self.count[idle] = pick, pick, 1.0


class VQVAE(nn.Module):
    def __init__(self, dim=8, codes=32):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv1d(1, 24, 4, 2, 1), nn.ReLU(), nn.Conv1d(24, 32, 4, 2, 1), nn.ReLU(), nn.Conv1d(32, dim, 1))
        self.vq = EMAQuantizer(codes, dim)
        self.dec = nn.Sequential(nn.Conv1d(dim, 32, 3, padding=1), nn.ReLU(), nn.ConvTranspose1d(32, 24, 4, 2, 1), nn.ReLU(),
                                 nn.ConvTranspose1d(24, 1, 4, 2, 1))

    def forward(self, x):
        z = self.enc(x).transpose(1, 2)
        q, commit, index = self.vq(z)
        return self.dec(q.transpose(1, 2)), commit, index


def waves(n, t=32):
    grid = torch.linspace(0, 1, t)
    f, ph = 1 + 3 * torch.rand(n, 1), 6.28 * torch.rand(n, 1)
    x = torch.sin(6.28 * f * grid + ph)
    x = torch.where(torch.rand(n, 1) < 0.5, x, x.sign())
    return x[:, None] + 0.05 * torch.randn(n, 1, t)


model = VQVAE()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for step in range(501):
    model.train()
    x = waves(64)
    recon, commit, index = model(x)
    rec = F.mse_loss(recon, x)
    loss = rec + commit
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        model.eval()
        with torch.no_grad():
            xv = waves(200)
            rv, _, iv = model(xv)
        print(f"step {step} rec {rec:.4f} commit {commit:.4f} | valid {F.mse_loss(rv, xv):.4f} of {xv.var():.3f}, codes used {iv.unique().numel()}")
