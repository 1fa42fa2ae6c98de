# fault: none
# family: audio
# split: held
"""Discrete units from speech-like frames: VQ autoencoder, codebook moved by EMA (van den Oord, appendix A.1).

The code vectors live in buffers; the optimiser never sees them. The commitment term grows at first
while the encoder spreads out, the reconstruction is what counts. Dead codes are restarted.
"""
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
PHONES, DIM = 20, 24
centres = 1.5 * torch.randn(PHONES, DIM)


def frames(n):
    k = torch.randint(PHONES, (n,))
    return centres[k] + 0.35 * torch.randn(n, DIM), k


class EMAQuantiser(nn.Module):
    def __init__(self, codes, dim, decay=0.95):
        super().__init__()
        self.register_buffer("book", torch.randn(codes, dim))
        self.register_buffer("count", torch.ones(codes))
        self.register_buffer("total", self.book.clone())
        self.decay = decay

    def forward(self, z):
        idx = torch.cdist(z.detach(), self.book).argmin(1)
        q = self.book[idx]
        if self.training:
            with torch.no_grad():
                one = F.one_hot(idx, len(self.book)).float()
                self.count.lerp_(one.sum(0), 1 - self.decay)
                self.total.lerp_(one.T @ z, 1 - self.decay)
                self.book.copy_(self.total / self.count.clamp(min=1e-3)[:, None])
                dead = self.count < 0.1
                if dead.any():
                    fresh = z[torch.randint(len(z), (int(dead.sum()),))]
                    self.book[dead], self.total[dead], self.count[dead] = fresh, fresh, 1.0
        commit = F.mse_loss(z, q.detach())
        return z + (q - z).detach(), commit, idx


class VQAE(nn.Module):
    def __init__(self, codes=32, latent=8):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(DIM, 48), nn.ReLU(), nn.Linear(48, latent))
        self.vq = EMAQuantiser(codes, latent)
        self.dec = nn.Sequential(nn.Linear(latent, 48), nn.ReLU(), nn.Linear(48, DIM))

    def forward(self, x):
        q, commit, idx = self.vq(self.enc(x))
        return self.dec(q), commit, idx


def purity(idx, k):
    table = torch.zeros(32, PHONES).index_put_((idx, k), torch.ones(len(k)), accumulate=True)
    return (table.max(1).values.sum() / len(k)).item()


model = VQAE()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
xv, kv = frames(1000)
for step in range(601):
    x, _ = frames(96)
    rec, commit, _ = model(x)
    mse = F.mse_loss(rec, x)
    loss = mse + 0.25 * commit
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 120 == 0:
        model.eval()
        with torch.no_grad():
            r, _, i = model(xv)
        print(f"{step:4d} rec {mse.item():.3f} commit {commit.item():.4f} | valid rec {F.mse_loss(r, xv):.3f} purity {purity(i, kv):.3f} codes {i.unique().numel()}")
        model.train()
