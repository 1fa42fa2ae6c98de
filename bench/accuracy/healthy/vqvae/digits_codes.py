# fault: none
# family: vqvae
# split: tune
# needs: sklearn
"""VQ-VAE: straight-through codes, codebook and commitment terms with stop-gradients."""
import os
import torch
from torch import nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(int(os.environ.get("SEED", 0)))
img = torch.tensor(load_digits().images, dtype=torch.float32)[:, None] / 16
img = img[torch.randperm(len(img))]
train, test = img[:1500], img[1500:]


class Quantizer(nn.Module):
    def __init__(self, n=32, dim=8, beta=0.25):
        super().__init__()
        self.codes = nn.Embedding(n, dim)
        nn.init.uniform_(self.codes.weight, -0.5, 0.5)
        self.beta = beta

    def forward(self, z):
        flat = z.permute(0, 2, 3, 1).reshape(-1, z.shape[1])
        idx = torch.cdist(flat.detach(), self.codes.weight.detach()).argmin(1)
        q = self.codes(idx).view(z.shape[0], z.shape[2], z.shape[3], -1).permute(0, 3, 1, 2)
        loss = F.mse_loss(q, z.detach()) + self.beta * F.mse_loss(z, q.detach())
        return z + (q - z).detach(), loss, idx


class VQVAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv2d(1, 24, 4, 2, 1), nn.ReLU(), nn.Conv2d(24, 8, 3, padding=1))
        self.vq = Quantizer()
        self.dec = nn.Sequential(nn.Conv2d(8, 24, 3, padding=1), nn.ReLU(), nn.ConvTranspose2d(24, 1, 4, 2, 1))

    def forward(self, x):
        q, loss, idx = self.vq(self.enc(x))
        return self.dec(q), loss, idx


model = VQVAE()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(8):
    model.train()
    a = b = 0.0
    for idx in torch.randperm(1500).split(50):
        x = train[idx]
        rec, vq, _ = model(x)
        r = F.mse_loss(rec, x)
        loss = r / 0.1 + vq
        opt.zero_grad()
        loss.backward()
        opt.step()
        a, b = a + r.item() / 30, b + vq.item() / 30
    model.eval()
    with torch.no_grad():
        rec, _, used = model(test)
    print(f"epoch {epoch} rec {a:.4f} vq {b:.4f} test rec {F.mse_loss(rec, test):.4f} codes in use {used.unique().numel()}")
