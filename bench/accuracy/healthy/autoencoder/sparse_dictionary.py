# fault: none
# family: autoencoder
# split: tune
"""Overcomplete sparse autoencoder with an L1 penalty and unit-norm decoder columns; most units are silent for an input."""
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
TRUE = F.normalize(torch.randn(40, 20), dim=1)


def activations(n):
    c = torch.rand(n, 40) * (torch.rand(n, 40) < 0.06)
    return 3 * c @ TRUE + 0.02 * torch.randn(n, 20)


class SAE(nn.Module):
    def __init__(self, d=20, m=64):
        super().__init__()
        self.dec = nn.Parameter(F.normalize(torch.randn(m, d), dim=1))
        self.enc = nn.Parameter(self.dec.detach().clone().T)
        self.be, self.bd = nn.Parameter(torch.zeros(m)), nn.Parameter(torch.zeros(d))

    def forward(self, x):
        f = F.relu((x - self.bd) @ self.enc + self.be)
        return f @ self.dec + self.bd, f

    @torch.no_grad()
    def normalise(self):
        self.dec.div_(self.dec.norm(dim=1, keepdim=True).clamp(min=1e-6))


sae = SAE()
opt = torch.optim.Adam(sae.parameters(), lr=4e-3)
test = activations(500)
for step in range(1, 1001):
    x = activations(128)
    rec, f = sae(x)
    mse, l1 = (rec - x).pow(2).sum(1).mean(), f.abs().sum(1).mean()
    loss = mse + 0.15 * l1
    opt.zero_grad()
    loss.backward()
    opt.step()
    sae.normalise()
    if step % 125 == 0:
        with torch.no_grad():
            rec, f = sae(test)
            match = (F.normalize(TRUE) @ sae.dec.T).max(1).values.mean()
        print(f"{step} loss {loss.item():.4f} explained {1 - (rec - test).var() / test.var():.4f} "
              f"active units {(f > 0.01).float().sum(1).mean():.2f} match with the true atoms {match:.3f}")
