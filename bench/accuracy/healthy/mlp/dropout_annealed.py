# fault: none
# family: mlp
# split: tune
# needs: sklearn
import os

import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Schedule:
    """Dropout from 0.5 down to nothing; bf16 for the matrix products."""

    def __init__(self, model, start, epochs):
        self.layers = [m for m in model.modules() if isinstance(m, nn.Dropout)]
        self.start, self.epochs = start, epochs

    def __call__(self, epoch):
        p = self.start * max(0.0, 1 - epoch / self.epochs)
        for l in self.layers:
            l.p = p
        return p


d = load_digits()
x, y = torch.tensor(d.data, dtype=torch.float32) / 8 - 1, torch.tensor(d.target)
perm = torch.randperm(len(x))
tr, va = perm[:1400], perm[1400:]
model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Dropout(0.5), nn.Linear(128, 128), nn.ReLU(), nn.Dropout(0.5), nn.Linear(128, 10))
opt = torch.optim.Adam(model.parameters(), lr=1.5e-3)
schedule = Schedule(model, 0.5, 12)
for epoch in range(14):
    p = schedule(epoch)
    model.train()
    tot = 0.0
    for a, b in DataLoader(TensorDataset(x[tr], y[tr]), 50, shuffle=True):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = model(a)
        loss = nn.functional.cross_entropy(out.float(), b)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    model.eval()
    with torch.no_grad():
        out = model(x[va])
    print(f"epoch {epoch} dropout {p:.2f} loss {tot / 28:.4f} valid {nn.functional.cross_entropy(out, y[va]):.4f} acc {(out.argmax(1) == y[va]).float().mean():.3f}")
