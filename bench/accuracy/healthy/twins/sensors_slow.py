# fault: none
# family: contrastive
# split: tune
import os

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))

N, C, D = 1200, 8, 40
base = torch.randn(C, D)
kind = torch.randint(0, C, (N,))
signals = base[kind] + 0.8 * torch.randn(N, D)


def view(x):
    scale = 1 + 0.2 * torch.randn(len(x), 1)
    return x * scale + 0.3 * torch.randn_like(x)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(D, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.project = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 16))

    def forward(self, x):
        return F.normalize(self.project(self.body(x)), dim=1)


def info_nce(a, b, t=0.2):
    z = torch.cat([a, b])
    sim = z @ z.t() / t
    n = len(a)
    sim.fill_diagonal_(-1e9)
    target = torch.cat([torch.arange(n) + n, torch.arange(n)])
    return F.cross_entropy(sim, target)


model = Encoder()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(8):
    total = 0.0
    for idx in torch.randperm(N).split(48):
        x = signals[idx]
        loss = info_nce(model(view(x)), model(view(x)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / 25:.4f}")
