# fault: none
# family: vqvae
# split: tune
# needs: sklearn
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Quantizer(nn.Module):
    def __init__(self, codes=32, dim=8, beta=0.25):
        super().__init__()
        self.book = nn.Embedding(codes, dim)
        nn.init.uniform_(self.book.weight, -0.5, 0.5)
        self.beta = beta

    def forward(self, z):
        flat = z.permute(0, 2, 3, 1)
        d = torch.cdist(flat.reshape(-1, flat.shape[-1]), self.book.weight)
        idx = d.argmin(1).view(flat.shape[:-1])
        q = self.book(idx)
        loss = F.mse_loss(q, flat.detach()) + self.beta * F.mse_loss(flat, q.detach())
        q = flat + (q - flat).detach()
        return q.permute(0, 3, 1, 2), loss, idx


class VQVAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv2d(1, 24, 3, 2, 1), nn.ReLU(), nn.Conv2d(24, 8, 3, 1, 1))
        self.vq = Quantizer()
        self.dec = nn.Sequential(nn.Conv2d(8, 24, 3, 1, 1), nn.ReLU(), nn.ConvTranspose2d(24, 1, 4, 2, 1))

    def forward(self, x):
        q, vq, idx = self.vq(self.enc(x))
        return self.dec(q), vq, idx


x = torch.tensor(load_digits().images, dtype=torch.float32)[:, None] / 16
x = x[torch.randperm(len(x))]
train, test = x[:1500], x[1500:]
model = VQVAE()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(10):
    model.train()
    rec_sum = vq_sum = 0.0
    for (b,) in DataLoader(TensorDataset(train), 50, shuffle=True):
        r, vq, _ = model(b)
        rec = F.mse_loss(r, b)
        opt.zero_grad()
        (rec + vq).backward()
        opt.step()
        rec_sum += rec.item() / 30
        vq_sum += vq.item() / 30
    model.eval()
    with torch.no_grad():
        r, _, idx = model(test)
    print(f"epoch {epoch} rec {rec_sum:.4f} vq {vq_sum:.4f} test {F.mse_loss(r, test):.4f} codes {idx.unique().numel()}")
