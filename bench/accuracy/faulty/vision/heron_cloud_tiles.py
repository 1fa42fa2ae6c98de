# fault: inputs-constant
# cause_class: data-scaling, data-loading, structure
# family: vision
# split: held
import os

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

SEED = int(os.environ.get("SEED", 0))
np.random.seed(SEED)
torch.manual_seed(SEED)

CLASSES = ["clear", "cirrus", "cumulus", "stratus", "front"]


def tile(kind):
    img = np.random.normal(70, 12, (20, 20))
    yy, xx = np.mgrid[:20, :20]
    if kind == 1:
        img += 60 * (np.sin((xx + yy) / 1.5 + np.random.rand() * 6) > 0.4)
    elif kind == 2:
        for _ in range(4):
            cy, cx = np.random.randint(3, 17, 2)
            img += 110 * (((yy - cy) ** 2 + (xx - cx) ** 2) < 9)
    elif kind == 3:
        img += 70 + 20 * np.sin(yy / 3)
    elif kind == 4:
        img += 100 * (xx > np.random.randint(6, 14))
    return img.clip(0, 250).astype(np.uint8)


class CloudTiles(Dataset):
    """Tiles are kept in memory as small as they can be."""

    def __init__(self, n, scale=255.0):
        self.labels = np.random.randint(0, len(CLASSES), n)
        raw = [tile(k) for k in self.labels]
        self.tiles = self._pack([t / scale for t in raw])

    def _pack(self, tiles):
        first = tiles[0]
        store = np.zeros((len(tiles),) + first.shape, dtype=np.uint8)
        for i, t in enumerate(tiles):
            store[i] = t
        return store

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        x = torch.from_numpy(self.tiles[i]).float().unsqueeze(0)
        return x, int(self.labels[i])


def make_net():
    return nn.Sequential(
        nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(12, 24, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(24 * 25, 48), nn.ReLU(), nn.Dropout(0.2), nn.Linear(48, len(CLASSES)))


train_dl = DataLoader(CloudTiles(1600), batch_size=40, shuffle=True)
val_dl = DataLoader(CloudTiles(400), batch_size=100)
net, ce = make_net(), nn.CrossEntropyLoss()
opt = torch.optim.Adam(net.parameters(), 1e-3)
for epoch in range(6):
    net.train()
    s = 0.0
    for x, y in train_dl:
        opt.zero_grad()
        loss = ce(net(x), y)
        loss.backward()
        opt.step()
        s += loss.item() / len(train_dl)
    net.eval()
    with torch.no_grad():
        acc = np.mean([(net(x).argmax(1) == y).float().mean().item() for x, y in val_dl])
    print(f"{epoch}: loss {s:.3f} val acc {acc:.3f}")
