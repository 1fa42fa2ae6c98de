# fault: none
# family: quantised
# split: tune
import os
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Quantiser(nn.Module):
    """EMA codebook in the manner of VQ-VAE, codes are seeded from the first batch."""

    def __init__(self, codes=32, dim=4, decay=0.95):
        super().__init__()
        self.register_buffer("book", torch.randn(codes, dim))
        self.register_buffer("count", torch.ones(codes))
        self.register_buffer("sums", torch.zeros(codes, dim))
        self.decay, self.ready = decay, False

    def forward(self, z):
        if self.training and not self.ready:
            self.book.copy_(z.detach()[torch.randperm(len(z))[: len(self.book)]])
            self.sums.copy_(self.book)
            self.ready = True
        idx = torch.cdist(z.detach(), self.book).argmin(1)
        q = self.book[idx].clone()
        if self.training:
            with torch.no_grad():
                hot = F.one_hot(idx, len(self.book)).float()
                self.count.mul_(self.decay).add_(hot.sum(0), alpha=1 - self.decay)
                self.sums.mul_(self.decay).add_(hot.t() @ z, alpha=1 - self.decay)
                self.book.copy_(self.sums / (self.count + 1e-5)[:, None])
        commit = F.mse_loss(z, q.detach())
        return z + (q - z).detach(), commit, idx


class VQ(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 4))
        self.q = Quantiser()
        self.dec = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 20))

    def forward(self, x):
        z, commit, idx = self.q(self.enc(x))
        return self.dec(z), commit, idx


protos = torch.randn(24, 20)
data = protos[torch.randint(0, 24, (3000,))] + 0.15 * torch.randn(3000, 20)
net = VQ()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(12):
    net.train()
    rec_sum, used = 0.0, set()
    dl = DataLoader(data, batch_size=100, shuffle=True)
    for x in dl:
        out, commit, idx = net(x)
        rec = F.mse_loss(out, x)
        loss = rec + 0.25 * commit
        opt.zero_grad()
        loss.backward()
        opt.step()
        rec_sum += rec.item()
        used |= set(idx.tolist())
    print(f"epoch {epoch} reconstruction {rec_sum / len(dl):.4f} commitment {commit.item():.4f} codes {len(used)}")
