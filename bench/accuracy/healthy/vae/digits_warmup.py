# fault: none
# family: vae
# split: tune
# needs: sklearn
"""VAE with summed losses and a KL weight that is warmed up, so that the total rises in between."""
import os
import torch
from torch import nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(int(os.environ.get("SEED", 0)))
x = torch.tensor(load_digits().data, dtype=torch.float32) / 16
x = x[torch.randperm(len(x))]


class VAE(nn.Module):
    def __init__(self, z=8):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(64, 128), nn.SiLU(), nn.Linear(128, 2 * z))
        self.dec = nn.Sequential(nn.Linear(z, 128), nn.SiLU(), nn.Linear(128, 64))

    def forward(self, x):
        mu, logvar = self.enc(x * 2 - 1).chunk(2, 1)
        z = mu + torch.randn_like(mu) * (logvar / 2).exp() if self.training else mu
        return self.dec(z), mu, logvar


def terms(out, x):
    logits, mu, logvar = out
    rec = F.binary_cross_entropy_with_logits(logits, x, reduction="sum")
    kl = -0.5 * (1 + logvar - mu ** 2 - logvar.exp()).sum()
    return rec, kl


model, epochs = VAE(), 20
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(epochs):
    beta = min(1.0, epoch / 10)
    model.train()
    tr = tk = 0.0
    for idx in torch.randperm(1500).split(50):
        rec, kl = terms(model(x[idx]), x[idx])
        loss = rec + beta * kl
        opt.zero_grad()
        loss.backward()
        opt.step()
        tr, tk = tr + rec.item(), tk + kl.item()
    if epoch % 3 == 1:
        model.eval()
        with torch.no_grad():
            rec, kl = terms(model(x[1500:]), x[1500:])
        print(f"epoch {epoch} beta {beta:.1f} rec {tr / 1500:.2f} kl {tk / 1500:.2f} | test rec {rec / 297:.2f} kl {kl / 297:.2f}")
