# fault: nan-in-data
# cause_class: non-finite, data-loading
# family: mlp
# split: tune
import os

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SEED = int(os.environ.get("SEED", 0))
rng = np.random.default_rng(SEED)
torch.manual_seed(SEED)


def export(n):
    """Nine sensors; number 5 is a switch that stood at 3 the whole year."""
    x = rng.normal(0, 1, (n, 9)) * np.array([1, 5, 0.2, 40, 1, 0, 3, 1, 10]) + np.array([0, 20, 1, 300, 0, 3, 0, 5, 50])
    fault = (x[:, 1] - 20) / 5 + (x[:, 3] - 300) / 40 * (x[:, 0]) > 0.5
    return x, fault.astype(np.int64)


class StandardScaler:
    def fit(self, x):
        self.mean, self.std = x.mean(0), x.std(0)
        return self

    def transform(self, x):
        with np.errstate(all="ignore"):
            return (x - self.mean) / self.std


class Table(Dataset):
    def __init__(self, x, y, scaler):
        self.x = torch.from_numpy(scaler.transform(x)).float()
        self.y = torch.from_numpy(y)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


x, y = export(1500)
scaler = StandardScaler().fit(x[:1200])
train = DataLoader(Table(x[:1200], y[:1200], scaler), batch_size=40, shuffle=True)
valid = DataLoader(Table(x[1200:], y[1200:], scaler), batch_size=300)
model = nn.Sequential(nn.Linear(9, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
for epoch in range(8):
    model.train()
    s = 0.0
    for xb, yb in train:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(xb), yb)
        loss.backward()
        opt.step()
        s += loss.item()
    model.eval()
    with torch.no_grad():
        acc = np.mean([(model(a).argmax(1) == b).float().mean().item() for a, b in valid])
    print(f"epoch {epoch} loss {s / len(train):.4f} accuracy {acc:.3f}")
