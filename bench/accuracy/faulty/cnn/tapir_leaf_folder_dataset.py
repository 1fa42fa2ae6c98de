# fault: labels-shuffled
# cause_class: labels, data-loading
# family: cnn
# split: held
"""Leaf shapes: arrays and a label sheet are written to a folder and read back, as in our lab."""
import json
import os
import tempfile
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)
rng = np.random.default_rng(SEED)
SIZE, KINDS = 14, 4


def draw(kind):
    yy, xx = np.mgrid[-1:1:SIZE * 1j, -1:1:SIZE * 1j]
    cx, cy, r = rng.uniform(-0.2, 0.2), rng.uniform(-0.2, 0.2), rng.uniform(0.4, 0.65)
    dx, dy = xx - cx, yy - cy
    if kind == 0:
        m = dx ** 2 + dy ** 2 < r ** 2
    elif kind == 1:
        m = np.maximum(abs(dx), abs(dy)) < r
    elif kind == 2:
        m = np.minimum(abs(dx), abs(dy)) < 0.18
    else:
        m = abs(np.sqrt(dx ** 2 + dy ** 2) - r) < 0.15
    return (m + rng.normal(0, 0.25, (SIZE, SIZE))).astype(np.float32)


def export(folder, n):
    sheet = []
    for i in range(n):
        kind = int(rng.integers(KINDS))
        np.save(folder / f"leaf_{i}.npy", draw(kind))
        sheet.append(kind)
    (folder / "labels.json").write_text(json.dumps(sheet))


class LeafFolder(Dataset):
    def __init__(self, folder):
        self.files = sorted(folder.glob("leaf_*.npy"))
        self.labels = json.loads((folder / "labels.json").read_text())
        assert len(self.files) == len(self.labels)
        self.images = [torch.from_numpy(np.load(f))[None] for f in self.files]

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        return self.images[i] - 0.4, self.labels[i]


with tempfile.TemporaryDirectory() as d:
    export(Path(d), 1200)
    data = LeafFolder(Path(d))
order = torch.randperm(len(data)).tolist()
train, val = Subset(data, order[:1000]), Subset(data, order[1000:])
net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                    nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                    nn.Flatten(), nn.Linear(16 * 9, 32), nn.ReLU(), nn.Linear(32, KINDS))
opt = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=0.01)
ce = nn.CrossEntropyLoss()
for epoch in range(8):
    net.train()
    tot = 0.0
    for x, y in DataLoader(train, 25, shuffle=True):
        loss = ce(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    net.eval()
    with torch.no_grad():
        acc = sum((net(x).argmax(1) == y).sum().item() for x, y in DataLoader(val, 100)) / len(val)
    print(f"epoch {epoch} loss {tot / 40:.4f} val accuracy {acc:.3f}")
