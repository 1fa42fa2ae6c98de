# fault: none
# family: mlp
# split: held
import os
import random

import torch
import torch.nn as nn

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)


class XorNoise:
    def __init__(self, n):
        self.rows = []
        for _ in range(n):
            a, b = random.uniform(-1, 1), random.uniform(-1, 1)
            self.rows.append((torch.tensor([a, b]), torch.tensor([1.0 if a * b > 0 else 0.0])))

    def __iter__(self):
        rows = self.rows[:]
        random.shuffle(rows)
        return iter(rows)


train, test = XorNoise(450), XorNoise(300)
net = nn.Sequential(nn.Linear(2, 24), nn.Tanh(), nn.Linear(24, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.15)
lossf = nn.BCEWithLogitsLoss()
for epoch in range(4):
    tot = 0.0
    for x, y in train:
        opt.zero_grad()
        loss = lossf(net(x), y)
        loss.backward()
        opt.step()
        tot += loss.item()
    with torch.no_grad():
        acc = sum(((net(x) > 0).float() == y).item() for x, y in test) / 300
    print(f"pass {epoch} mean loss {tot / 450:.4f} acc {acc:.3f}")
