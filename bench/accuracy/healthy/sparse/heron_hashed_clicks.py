# fault: none
# family: sparse
# split: held
"""Clicks from hashed id features: a sparse embedding bag (SparseAdam) and a small dense part (Adam)."""
import os

import numpy as np
import torch
from torch import nn

SEED = int(os.environ.get("SEED", 0))
rng = np.random.default_rng(SEED)
torch.manual_seed(SEED)
BUCKETS, FIELDS = 5000, 6
SIZES = [400, 200, 60, 25, 10, 5]
effects = [rng.normal(0, 0.9, s) for s in SIZES]
SALT = np.array([11, 23, 37, 53, 71, 97])


def clicks(n):
    ids = np.stack([np.minimum(rng.zipf(1.6, n) - 1, s - 1) for s in SIZES], 1)
    logit = sum(e[ids[:, f]] for f, e in enumerate(effects)) - 1.5
    y = rng.random(n) < 1 / (1 + np.exp(-logit))
    hashed = (ids * 2654435761 + SALT * 40503) % BUCKETS
    return torch.tensor(hashed), torch.tensor(y, dtype=torch.float32)


class ClickModel(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.table = nn.Embedding(BUCKETS, d, sparse=True)
        nn.init.normal_(self.table.weight, std=0.05)
        self.top = nn.Sequential(nn.Linear(FIELDS * d, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, h):
        return self.top(self.table(h).flatten(1)).squeeze(1)


x, y = clicks(24000)
xt, yt = clicks(4000)
model = ClickModel()
optimisers = [torch.optim.SparseAdam(list(model.table.parameters()), lr=3e-3), torch.optim.Adam(model.top.parameters(), lr=1e-3)]
bce = nn.BCEWithLogitsLoss()
base = yt.mean()
print("entropy of the base rate", -(base * base.log() + (1 - base) * (1 - base).log()).item())
for epoch in range(3):
    total = 0.0
    for idx in torch.randperm(len(x)).split(100):
        loss = bce(model(x[idx]), y[idx])
        for o in optimisers:
            o.zero_grad()
        loss.backward()
        for o in optimisers:
            o.step()
        total += loss.item() * len(idx) / len(x)
    with torch.no_grad():
        out = model(xt)
        print(f"epoch {epoch} train {total:.4f} test {bce(out, yt).item():.4f} accuracy {((out > 0) == (yt > 0)).float().mean().item():.3f}")
