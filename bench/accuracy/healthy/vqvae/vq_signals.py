# fault: none
# family: vqvae
# split: held
import math
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))


def signals(n, L=64):
    t = torch.linspace(0, 1, L)
    f = torch.randint(1, 5, (n, 1)).float()
    x = torch.sin(2 * math.pi * (f * t + torch.rand(n, 1)))
    return torch.where(torch.rand(n, 1) < 0.5, x, x.sign() * 0.8).unsqueeze(1)


class VectorQuantizer(nn.Module):
    def __init__(self, k=32, d=16, beta=0.25):
        super().__init__()
        self.book = nn.Embedding(k, d)
        self.book.weight.data.uniform_(-1, 1)
        self.beta = beta

    def forward(self, z):                        # (B, D, L)
        flat = z.transpose(1, 2).reshape(-1, z.size(1))
        idx = torch.cdist(flat, self.book.weight).argmin(1)
        q = self.book(idx).view(z.size(0), -1, z.size(1)).transpose(1, 2)
        loss = F.mse_loss(q, z.detach()) + self.beta * F.mse_loss(z, q.detach())
        q = z + (q - z).detach()
        return q, loss, idx.unique().numel()


class VQVAE(nn.Module):
    def __init__(self, d=16):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv1d(1, 24, 4, 2, 1), nn.ReLU(), nn.Conv1d(24, 24, 4, 2, 1), nn.ReLU(), nn.Conv1d(24, d, 3, 1, 1))
        self.vq = VectorQuantizer(d=d)
        self.dec = nn.Sequential(nn.Conv1d(d, 24, 3, 1, 1), nn.ReLU(), nn.ConvTranspose1d(24, 24, 4, 2, 1), nn.ReLU(),
                                 nn.ConvTranspose1d(24, 1, 4, 2, 1))

    def forward(self, x):
        q, l, used = self.vq(self.enc(x))
        return self.dec(q), l, used


x = signals(1000)
net = VQVAE()
with torch.no_grad():      # codebook starts at encodings of the data
    z = net.enc(x[:200]).transpose(1, 2).reshape(-1, 16)
    net.vq.book.weight.copy_(z[torch.randperm(len(z))[:len(net.vq.book.weight)]])
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(12):
    rec_sum = vq_sum = 0.0
    for idx in torch.randperm(1000).split(40):
        out, vq, used = net(x[idx])
        rec = F.mse_loss(out, x[idx])
        opt.zero_grad()
        (rec + vq).backward()
        opt.step()
        rec_sum, vq_sum = rec_sum + rec.item() / 25, vq_sum + vq.item() / 25
    print(f"epoch {epoch} reconstruction {rec_sum:.4f} quantiser {vq_sum:.4f} codes in use {used}")
