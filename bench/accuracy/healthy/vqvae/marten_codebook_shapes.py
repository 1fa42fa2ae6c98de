# fault: none
# family: vqvae
# split: held
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))


def bars(n, size=12):
    img = torch.zeros(n, 1, size, size)
    for i in range(n):
        for _ in range(2):
            k = int(torch.randint(0, size - 2, (1,)))
            if torch.rand(1) < 0.5:
                img[i, 0, k:k + 2] = 1
            else:
                img[i, 0, :, k:k + 2] = 1
    return img * 2 - 1


class Codebook(nn.Module):
    """Nearest code; the decoder's gradient is copied to the encoder."""

    def __init__(self, n, dim, beta=0.25):
        super().__init__()
        self.codes = nn.Embedding(n, dim)
        nn.init.normal_(self.codes.weight, std=0.3)
        self.beta = beta

    def forward(self, z):
        b, d, h, w = z.shape
        flat = z.permute(0, 2, 3, 1).reshape(-1, d)
        idx = torch.cdist(flat, self.codes.weight).argmin(1)
        q = self.codes(idx)
        loss = F.mse_loss(q, flat.detach()) + self.beta * F.mse_loss(flat, q.detach())
        q = flat + (q - flat).detach()
        return q.view(b, h, w, d).permute(0, 3, 1, 2), loss, idx


class VQVAE(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv2d(1, 16, 4, 2, 1), nn.ReLU(), nn.Conv2d(16, 24, 3, 1, 1), nn.ReLU(), nn.Conv2d(24, dim, 1))
        self.book = Codebook(32, dim)
        self.dec = nn.Sequential(nn.Conv2d(dim, 24, 3, 1, 1), nn.ReLU(), nn.ConvTranspose2d(24, 16, 4, 2, 1), nn.ReLU(), nn.Conv2d(16, 1, 3, 1, 1))

    def forward(self, x):
        q, loss, idx = self.book(self.enc(x))
        return torch.tanh(self.dec(q)), loss, idx


model = VQVAE()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
loader = DataLoader(TensorDataset(bars(800)), batch_size=32, shuffle=True)
test = bars(100)
for epoch in range(8):
    r, c = 0.0, 0.0
    for (x,) in loader:
        y, commit, _ = model(x)
        recon = F.mse_loss(y, x)
        opt.zero_grad()
        (recon + commit).backward()
        opt.step()
        r, c = r + recon.item() / len(loader), c + commit.item() / len(loader)
    with torch.no_grad():
        y, _, idx = model(test)
    print(f"epoch {epoch} reconstruction {r:.4f} codebook {c:.4f} test {F.mse_loss(y, test):.4f} codes in use {idx.unique().numel()}")
