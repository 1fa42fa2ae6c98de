# fault: none
# family: vqvae
# split: held
"""Codebook for short seismic wavelets: VQ-VAE, straight-through estimator, codebook by moving averages."""
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
T = torch.linspace(-1, 1, 40)


def wavelets(n):
    f = torch.tensor([2.0, 4.0, 7.0])[torch.randint(0, 3, (n,))].unsqueeze(1)
    shift = (torch.randint(0, 4, (n, 1)) - 1.5) * 0.3
    u = (torch.pi * f * (T - shift)) ** 2 / 4
    return (1 - 2 * u) * torch.exp(-u) * 2 + 0.05 * torch.randn(n, 40)


class EMACodebook(nn.Module):
    def __init__(self, k=32, d=8, decay=0.95):
        super().__init__()
        self.decay = decay
        self.register_buffer("codes", torch.randn(k, d) * 0.3)
        self.register_buffer("count", torch.ones(k))
        self.register_buffer("total", self.codes.clone())

    def forward(self, z):
        idx = torch.cdist(z.detach(), self.codes).argmin(1)
        q = self.codes[idx]
        if self.training:
            with torch.no_grad():
                hot = F.one_hot(idx, len(self.codes)).float()
                self.count.lerp_(hot.sum(0), 1 - self.decay)
                self.total.lerp_(hot.T @ z, 1 - self.decay)
                self.codes.copy_(self.total / self.count.clamp(min=1e-2).unsqueeze(1))
                idle = self.count < 0.05
                if idle.any():
                    pick = z[torch.randint(0, len(z), (int(idle.sum()),))]
                    self.codes[idle], self.total[idle], self.count[idle] = pick, pick, 1.0
        return z + (q - z).detach(), F.mse_loss(z, q), idx


enc = nn.Sequential(nn.Linear(40, 64), nn.ReLU(), nn.Linear(64, 8))
dec = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 40))
book = EMACodebook()
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=2e-3)
for step in range(900):
    x = wavelets(64)
    q, commit, idx = book(enc(x))
    loss = F.mse_loss(dec(q), x) + 0.25 * commit
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 150 == 149:
        book.eval()
        with torch.no_grad():
            x = wavelets(500)
            q, commit, idx = book(enc(x))
            print(f"step {step + 1} reconstruction {F.mse_loss(dec(q), x).item():.4f} of {x.var().item():.3f} codes {idx.unique().numel()}")
        book.train()
