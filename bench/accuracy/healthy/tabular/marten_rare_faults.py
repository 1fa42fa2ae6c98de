# fault: none
# family: tabular
# split: held
import os

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

SEED = int(os.environ.get("SEED", 0))
rng = np.random.default_rng(SEED)
torch.manual_seed(SEED)


def machines(n):
    """Six machines in a hundred fail: hot and shaking, or starved of oil."""
    x = rng.normal(size=(n, 12)).astype(np.float32)
    score = np.maximum(x[:, 0] + x[:, 1], 1.3 * x[:, 2] + 0.4 * x[:, 3]) + 0.15 * rng.normal(size=n)
    return torch.from_numpy(x), torch.from_numpy((score > 2.6).astype(np.float32))


def average_precision(score, y):
    order = score.argsort(descending=True)
    hit = y[order]
    return ((hit.cumsum(0) / torch.arange(1, len(y) + 1)) * hit).sum().item() / hit.sum().item()


x, y = machines(5000)
xt, yt = machines(3000)
rate = y.mean()
weights = torch.where(y > 0, 0.5 / rate, 0.5 / (1 - rate))
loader = DataLoader(TensorDataset(x, y), batch_size=64, sampler=WeightedRandomSampler(weights.double(), 3200))
net = nn.Sequential(nn.Linear(12, 48), nn.GELU(), nn.Linear(48, 24), nn.GELU(), nn.Linear(24, 1), nn.Flatten(0))
opt = torch.optim.AdamW(net.parameters(), lr=1.5e-3, weight_decay=1e-3)
loss_fn = nn.BCEWithLogitsLoss()
print(f"failing: {rate:.3f}")
for epoch in range(10):
    net.train()
    total = 0.0
    for a, b in loader:
        loss = loss_fn(net(a), b)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() / len(loader)
    net.eval()
    with torch.no_grad():
        s = net(xt)
    recall = (s[yt > 0] > 0).float().mean()
    print(f"epoch {epoch} balanced loss {total:.4f} average precision {average_precision(s, yt):.3f} recall {recall:.3f} false alarms {(s[yt == 0] > 0).float().mean():.3f}")
