# fault: none
# family: vqvae
# split: held
# needs: sklearn
import os
import torch
from torch import nn
from torch.nn import functional as F
from sklearn.datasets import load_digits


class EMAQuantizer(nn.Module):
    """Codebook that follows the encoder by moving averages (Oord et al., appendix A); unused codes are drawn anew."""

    def __init__(self, n_codes=32, dim=8, decay=0.95, eps=1e-5):
        super().__init__()
        self.decay, self.eps = decay, eps
        self.register_buffer("codes", torch.randn(n_codes, dim))
        self.register_buffer("count", torch.ones(n_codes))
        self.register_buffer("total", self.codes.clone())

    @torch.no_grad()
    def _follow(self, flat, idx):
        hot = F.one_hot(idx, len(self.codes)).float()
        self.count.mul_(self.decay).add_(hot.sum(0), alpha=1 - self.decay)
        self.total.mul_(self.decay).add_(hot.T @ flat, alpha=1 - self.decay)
        self.codes.copy_(self.total / (self.count + self.eps)[:, None])
        idle = self.count < 0.2
        if idle.any():
            new = flat[torch.randint(len(flat), (int(idle.sum()),))]
            self.codes[idle], self.total[idle], self.count[idle] = new, new, 1.0

    def forward(self, z):
        b, c, h, w = z.shape
        flat = z.permute(0, 2, 3, 1).reshape(-1, c)
        idx = torch.cdist(flat, self.codes).argmin(1)
        q = self.codes[idx].view(b, h, w, c).permute(0, 3, 1, 2)
        if self.training:
            self._follow(flat.detach(), idx)
        commit = F.mse_loss(z, q.detach())
        use = torch.bincount(idx, minlength=len(self.codes)).float() / len(idx)
        perplexity = torch.exp(-(use * (use + 1e-10).log()).sum())
        return z + (q - z).detach(), commit, perplexity


class VQVAE(nn.Module):
    def __init__(self, dim=8, w=32):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv2d(1, w, 4, 2, 1), nn.ReLU(), nn.Conv2d(w, w, 3, 1, 1), nn.ReLU(), nn.Conv2d(w, dim, 1))
        self.vq = EMAQuantizer(dim=dim)
        self.dec = nn.Sequential(nn.Conv2d(dim, w, 3, 1, 1), nn.ReLU(), nn.ConvTranspose2d(w, w, 4, 2, 1), nn.ReLU(), nn.Conv2d(w, 1, 3, 1, 1))

    def forward(self, x):
        q, commit, ppl = self.vq(self.enc(x))
        return self.dec(q), commit, ppl


if __name__ == "__main__":
    torch.manual_seed(int(os.environ.get("SEED", 0)))
    x = torch.tensor(load_digits().images, dtype=torch.float32)[:, None] / 8 - 1
    x = x[torch.randperm(len(x))]
    train, test = x[:1500], x[1500:]
    net = VQVAE()
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    for epoch in range(12):
        rec_sum = com_sum = n = 0
        for xb in train[torch.randperm(len(train))].split(50):
            out, commit, ppl = net(xb)
            rec = F.mse_loss(out, xb)
            loss = rec + 0.25 * commit
            opt.zero_grad()
            loss.backward()
            opt.step()
            rec_sum += rec.item(); com_sum += commit.item(); n += 1
        net.eval()
        with torch.no_grad():
            out, _, p = net(test)
            val = F.mse_loss(out, test).item()
        net.train()
        print(f"epoch {epoch:2d}: recon {rec_sum / n:.4f} commitment {com_sum / n:.4f} val recon {val:.4f} perplexity {p.item():.1f}")
