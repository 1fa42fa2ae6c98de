# fault: none
# family: autoencoder
# split: tune
# Sparse overcomplete autoencoder: an L1 penalty drives most ReLU codes to zero, as it should.
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))

atoms = F.normalize(torch.randn(48, 24), dim=1)


def batch(n):
    code = torch.rand(n, 48) * (torch.rand(n, 48) < 0.06)
    return code @ atoms * 3


class SparseAutoencoder(nn.Module):
    def __init__(self, d, m):
        super().__init__()
        self.encoder = nn.Linear(d, m)
        self.decoder = nn.Linear(m, d)

    def forward(self, x):
        f = F.relu(self.encoder(x - self.decoder.bias))
        return self.decoder(f), f


sae = SparseAutoencoder(24, 96)
with torch.no_grad():
    sae.decoder.weight.copy_(F.normalize(torch.randn(24, 96), dim=0))
    sae.encoder.weight.copy_(sae.decoder.weight.T)
opt = torch.optim.Adam(sae.parameters(), lr=3e-3)
hist = []
for step in range(300):
    x = batch(128)
    recon, f = sae(x)
    loss = (recon - x).pow(2).sum(1).mean() + 0.1 * f.abs().sum(1).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        sae.decoder.weight.copy_(F.normalize(sae.decoder.weight, dim=0))
    hist.append(loss.item())
print("share of zero codes", (f == 0).float().mean().item())
print(f"loss first {hist[0]:.4f} last {hist[-1]:.4f}")
