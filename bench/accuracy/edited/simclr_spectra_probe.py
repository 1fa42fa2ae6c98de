# fault: none
# family: contrastive
# split: held
# set: badger, unseen
# metric: accuracy higher
# baseline: 0.17
# reaches: 0.9
# Unusual: no labels in training; NT-Xent at temperature 0.1 starts near log(2N-1)=5.5 and never comes near zero; quality is read off a 5-nearest-neighbour probe only.
import os

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

torch.set_num_threads(1)
SEED = int(os.environ.get("SEED", 0))
np.random.seed(SEED)
torch.manual_seed(SEED)
MINERALS, BANDS = 6, 64
grid = torch.linspace(0, 1, BANDS)
centres = torch.rand(MINERALS, 4)
depths = 0.3 + 0.7 * torch.rand(MINERALS, 4)


def mine(n):
    """Reflectance spectra: four absorption lines per mineral, hidden under a slope and dust."""
    y = torch.randint(MINERALS, (n,))
    c = centres[y] + 0.01 * torch.randn(n, 4)
    dip = (depths[y] * (0.7 + 0.6 * torch.rand(n, 4)))[..., None] * torch.exp(-((grid - c[..., None]) / 0.03) ** 2)
    slope = 2.0 * torch.randn(n, 1) * (grid - 0.5) + 1.0 * torch.randn(n, 1)
    bump = 1.0 * torch.randn(n, 1) * torch.exp(-((grid - torch.rand(n, 1)) / 0.3) ** 2)
    return slope + bump - dip.sum(1) + 0.15 * torch.randn(n, BANDS), y


def augment(x):
    n = len(x)
    x = x * (0.7 + 0.6 * torch.rand(n, 1))
    x = x + 2.0 * torch.randn(n, 1) * (grid - 0.5) + 1.0 * torch.randn(n, 1)
    x = x + 1.0 * torch.randn(n, 1) * torch.exp(-((grid - torch.rand(n, 1)) / 0.3) ** 2)
    return x + 0.15 * torch.randn_like(x)


class Encoder(nn.Module):
    def __init__(self, d=64):
        super().__init__()
        self.f = nn.Sequential(nn.Conv1d(1, 32, 7, padding=3), nn.BatchNorm1d(32), nn.ReLU(), nn.MaxPool1d(2),
                               nn.Conv1d(32, 32, 5, padding=2), nn.BatchNorm1d(32), nn.ReLU(), nn.MaxPool1d(2),
                               nn.Flatten(), nn.Linear(32 * 16, d), nn.ReLU())
        self.proj = nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, 32))

    def forward(self, x):
        h = self.f(x[:, None])
        return h, F.normalize(self.proj(h), dim=1)


def nt_xent(a, b, tau=0.1):
    z = torch.cat([a, b])
    sim = (z @ z.T / tau).fill_diagonal_(float("-inf"))
    n = len(a)
    return F.cross_entropy(sim, torch.cat([torch.arange(n, 2 * n), torch.arange(n)]))


def knn(ref, ref_y, q, q_y, k=5):
    ref, q = F.normalize(ref, dim=1), F.normalize(q, dim=1)
    near = (q @ ref.T).topk(k, 1).indices
    return (ref_y[near].mode(1).values == q_y).float().mean().item()


pool, pool_y = mine(2400)
test, test_y = mine(600)
enc = Encoder()
opt = torch.optim.AdamW(enc.parameters(), lr=2e-3, weight_decay=1e-2)
STEPS, N = 180, 128
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, STEPS)


def probe():
    enc.eval()
    with torch.no_grad():
        out = knn(enc(pool[:300])[0], pool_y[:300], enc(test)[0], test_y)
    enc.train()
    return out


for step in range(1, STEPS + 1):
    x = pool[torch.randint(len(pool), (N,))]
    loss = nt_xent(enc(augment(x))[1], enc(augment(x))[1])
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if step % 20 == 0:
        print(f"step {step} nt-xent {loss.item():.3f} knn {probe():.3f}")

print("majority:", round((test_y == pool_y.bincount().argmax()).float().mean().item(), 3),
      "| knn on raw spectra:", round(knn(pool[:300], pool_y[:300], test, test_y), 3))
print(f"result: accuracy {probe():.4f}")
