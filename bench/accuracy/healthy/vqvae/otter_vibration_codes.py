# fault: none
# family: vqvae
# split: held
import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)


def vibrations(n, length=32):
    t = torch.arange(length) / length * 6.28
    f = torch.randint(1, 5, (n, 1)).float()
    bump = torch.exp(-((torch.arange(length)[None] - torch.randint(4, 28, (n, 1))) ** 2) / 6.0)
    x = torch.sin(f * t + torch.rand(n, 1) * 6.28) + 1.5 * bump * (torch.rand(n, 1) < 0.5)
    x = x + 0.1 * torch.randn(n, length)
    return ((x - x.mean()) / x.std())[:, None]


class Codebook(nn.Module):
    """k-means style table that is moved by running averages, not by gradients."""

    def __init__(self, k, d, decay=0.95, beta=0.25):
        super().__init__()
        self.decay, self.beta = decay, beta
        self.register_buffer("table", 0.5 * torch.randn(k, d))
        self.register_buffer("count", torch.ones(k))
        self.register_buffer("total", self.table.clone())

    def forward(self, z):
        flat = z.reshape(-1, z.shape[-1])
        idx = torch.cdist(flat, self.table).argmin(1)
        q = self.table[idx].view_as(z)
        if self.training:
            with torch.no_grad():
                hot = F.one_hot(idx, len(self.table)).float()
                self.count.lerp_(hot.sum(0), 1 - self.decay)
                self.total.lerp_(hot.T @ flat, 1 - self.decay)
                self.table.copy_(self.total / self.count.clamp_min(1e-2)[:, None])
                idle = self.count < 0.05
                if idle.any():
                    new = flat[torch.randint(len(flat), (int(idle.sum()),))]
                    self.table[idle], self.total[idle], self.count[idle] = new, new, 1.0
        commit = self.beta * (z - q.detach()).pow(2).mean()
        return z + (q - z).detach(), commit, idx


class VQVAE(nn.Module):
    def __init__(self, d=8, k=48, w=24):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv1d(1, w, 4, 2, 1), nn.ReLU(), nn.Conv1d(w, w, 4, 2, 1), nn.ReLU(),
                                 nn.Conv1d(w, d, 3, padding=1))
        self.book = Codebook(k, d)
        self.dec = nn.Sequential(nn.Conv1d(d, w, 3, padding=1), nn.ReLU(), nn.ConvTranspose1d(w, w, 4, 2, 1),
                                 nn.ReLU(), nn.ConvTranspose1d(w, 1, 4, 2, 1))

    def forward(self, x):
        q, commit, idx = self.book(self.enc(x).transpose(1, 2))
        return self.dec(q.transpose(1, 2)), commit, idx


loader = DataLoader(TensorDataset(vibrations(1600)), 64, shuffle=True)
val = vibrations(300)
model = VQVAE()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(14):
    model.train()
    tot = 0.0
    for (x,) in loader:
        y, commit, _ = model(x)
        loss = F.mse_loss(y, x) + commit
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    model.eval()
    with torch.no_grad():
        y, _, idx = model(val)
    print(f"epoch {epoch:2d} train {tot / len(loader):.4f} val {F.mse_loss(y, val).item():.4f} codes used {len(idx.unique())}")
