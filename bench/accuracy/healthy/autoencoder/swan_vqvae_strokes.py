# fault: none
# family: autoencoder
# split: held
import os

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", "0")))


def strokes(n, s=16):
    ys, xs = torch.meshgrid(torch.linspace(-1, 1, s), torch.linspace(-1, 1, s), indexing="ij")
    ang = torch.rand(n, 1, 1) * 3.1416
    off = (torch.rand(n, 1, 1) - 0.5)
    d = xs * ang.cos() + ys * ang.sin() - off
    return torch.exp(-(d / 0.2) ** 2)[:, None] * 2 - 1


class Quantizer(nn.Module):
    """EMA codebook, straight-through."""

    def __init__(self, k=32, d=8, decay=0.95):
        super().__init__()
        self.k, self.decay = k, decay
        e = torch.randn(k, d)
        self.register_buffer("codes", e)
        self.register_buffer("count", torch.ones(k))
        self.register_buffer("total", e.clone())

    def forward(self, z):
        flat = z.permute(0, 2, 3, 1).reshape(-1, z.shape[1])
        idx = torch.cdist(flat.detach(), self.codes).argmin(1)
        if self.training:
            self._ema(flat.detach(), idx)
        q = F.embedding(idx, self.codes).view(z.shape[0], *z.shape[2:], -1).permute(0, 3, 1, 2)
        commit = F.mse_loss(z, q.detach())
        return z + (q - z).detach(), commit, idx

    @torch.no_grad()
    def _ema(self, flat, idx):
        one = F.one_hot(idx, self.k).to(flat.dtype)
        self.count.mul_(self.decay).add_(one.sum(0), alpha=1 - self.decay)
        self.total.mul_(self.decay).add_(one.T @ flat, alpha=1 - self.decay)
        self.codes.copy_(self.total / self.count.clamp_min(1e-2)[:, None])
        dead = self.count < 0.05
        if dead.any():  # revive unused codes with encoder outputs
            pick = flat[torch.randint(len(flat), (int(dead.sum()),))]
            self.codes[dead], self.total[dead], self.count[dead] = pick, pick, 1.0


class VQVAE(nn.Module):
    def __init__(self, w=16, d=8):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv2d(1, w, 4, 2, 1), nn.ReLU(), nn.Conv2d(w, 2 * w, 4, 2, 1), nn.ReLU(),
                                 nn.Conv2d(2 * w, d, 1))
        self.vq = Quantizer(d=d)
        self.dec = nn.Sequential(nn.Conv2d(d, 2 * w, 3, padding=1), nn.ReLU(),
                                 nn.ConvTranspose2d(2 * w, w, 4, 2, 1), nn.ReLU(),
                                 nn.ConvTranspose2d(w, 1, 4, 2, 1))

    def forward(self, x):
        q, commit, idx = self.vq(self.enc(x))
        return self.dec(q), commit, idx


train = DataLoader(TensorDataset(strokes(1024)), batch_size=64, shuffle=True)
held = strokes(128)
model = VQVAE()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(14):
    model.train()
    rec = com = 0.0
    for (x,) in train:
        out, commit, _ = model(x)
        recon = F.mse_loss(out, x)
        (recon + 0.25 * commit).backward()
        opt.step()
        opt.zero_grad()
        rec += recon.item() / len(train)
        com += commit.item() / len(train)
    model.eval()
    with torch.no_grad():
        out, _, idx = model(held)
    print(f"{epoch:2d} recon {rec:.4f} commit {com:.4f} held {F.mse_loss(out, held):.4f} codes {idx.unique().numel()}")
