# fault: inputs-constant
# cause_class: data-scaling, data-loading
# family: cnn
# split: held
import os

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

SEED = int(os.environ.get("SEED", 0))
np.random.seed(SEED)
torch.manual_seed(SEED)


def draw_sign(kind, size=16):
    img = np.random.randint(20, 110, (3, size, size)).astype(np.float64)
    yy, xx = np.mgrid[:size, :size]
    cy, cx, r = *np.random.uniform(6, 10, 2), np.random.uniform(3.5, 5.5)
    dy, dx = yy - cy, xx - cx
    area = [dy ** 2 + dx ** 2 < r ** 2, (abs(dy) < r) & (abs(dx) < r), (dy > -r) & (dy < r) & (abs(dx) < (dy + r) / 2), abs(dy) + abs(dx) < r][kind]
    img[:, area] = np.random.uniform(150, 240, (3, 1)) + np.random.randn(3, area.sum()) * 8
    return img.clip(0, 254).astype(np.uint8)


class Signs(Dataset):
    def __init__(self, n):
        self.kind = np.random.randint(0, 4, n)
        self.photo = [draw_sign(k) for k in self.kind]

    def __len__(self):
        return len(self.photo)

    @staticmethod
    def to_unit(photo):
        return torch.from_numpy(photo // 255).float()

    def __getitem__(self, i):
        return (self.to_unit(self.photo[i]) - 0.5) / 0.25, int(self.kind[i])


net = nn.Sequential(
    nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(16, 24, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
    nn.Flatten(), nn.Linear(24 * 16, 48), nn.ReLU(), nn.Linear(48, 4))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
lossf = nn.CrossEntropyLoss()
train, test = DataLoader(Signs(1000), batch_size=25, shuffle=True), DataLoader(Signs(200), batch_size=100)

for epoch in range(6):
    net.train()
    tot = 0
    for x, y in train:
        loss = lossf(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    net.eval()
    with torch.no_grad():
        acc = np.mean(np.concatenate([(net(x).argmax(1) == y).numpy() for x, y in test]))
    print(f"epoch {epoch}: {tot / len(train):.4f} acc {acc:.3f}")
