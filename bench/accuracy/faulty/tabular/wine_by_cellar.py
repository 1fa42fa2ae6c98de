# fault: not-shuffled
# cause_class: data-loading
# family: tabular
# split: tune
# twin: healthy/twins/wine_by_cellar.py
"""Which cellar a wine comes from, out of its analysis. The laboratory sends one file for each cellar."""
import os

import numpy as np
import torch
from torch import nn

SEED = int(os.environ.get("SEED", 0))
rng = np.random.default_rng(SEED)
torch.manual_seed(SEED)

CELLARS, WINES, TESTS = 6, 1500, 13


def laboratory_file(cellar):
    usual = np.random.default_rng(100 + cellar).normal(0, 1.5, TESTS)
    return usual + rng.normal(0, 1, (WINES, TESTS)), np.full(WINES, cellar)


files = [laboratory_file(c) for c in range(CELLARS)]
x = torch.tensor(np.concatenate([f[0] for f in files]), dtype=torch.float32)
y = torch.tensor(np.concatenate([f[1] for f in files]))
x = (x - x.mean(0)) / x.std(0)

net = nn.Sequential(nn.Linear(TESTS, 48), nn.ReLU(), nn.Linear(48, CELLARS))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
loss_fn = nn.CrossEntropyLoss()

for epoch in range(2):
    total = 0.0
    for start in range(0, len(x), 32):
        xb, yb = x[start : start + 32], y[start : start + 32]
        optimizer.zero_grad()
        loss = loss_fn(net(xb), yb)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(xb)
    net.eval()
    with torch.no_grad():
        right = (net(x).argmax(1) == y).float().mean().item()
    net.train()
    print(f"epoch {epoch} loss {total / len(x):.3f} accuracy {right:.3f}")
