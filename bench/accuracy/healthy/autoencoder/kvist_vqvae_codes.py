# fault: none
# family: autoencoder
# split: held
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Quantiser(nn.Module):
    def __init__(self, n, d, beta=0.25):
        super().__init__()
        self.codes = nn.Parameter(torch.randn(n, d) * 0.3)
        self.beta = beta

    def forward(self, z):
        idx = torch.cdist(z, self.codes).argmin(-1)
        q = self.codes[idx]
        loss = F.mse_loss(q, z.detach()) + self.beta * F.mse_loss(z, q.detach())
        return z + (q - z).detach(), loss, idx


class VQVAE(nn.Module):
    def __init__(self, d=32, pieces=4, code=8):
        super().__init__()
        self.pieces, self.code = pieces, code
        self.enc = nn.Sequential(nn.Linear(d, 64), nn.ReLU(), nn.Linear(64, pieces * code))
        self.vq = Quantiser(32, code)
        self.dec = nn.Sequential(nn.Linear(pieces * code, 64), nn.ReLU(), nn.Linear(64, d))

    def forward(self, x):
        z = self.enc(x).view(len(x), self.pieces, self.code)
        q, vq_loss, idx = self.vq(z)
        return self.dec(q.flatten(1)), vq_loss, idx


factors = torch.randn(6, 32)
x = torch.tanh(torch.randn(2500, 6)) @ factors * 0.6
x = x + 0.05 * torch.randn_like(x)
model = VQVAE()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
for step in range(1, 901):
    b = x[torch.randint(0, 2000, (64,))]
    rec, vq, _ = model(b)
    loss = F.mse_loss(rec, b) + vq
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 150 == 0:
        with torch.no_grad():
            rec, vq, idx = model(x[2000:])
            print(f"{step} loss {loss.item():.4f} test mse {F.mse_loss(rec, x[2000:]).item():.4f} of {x.var().item():.3f}, codes used {idx.unique().numel()}")
