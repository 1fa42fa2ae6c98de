# fault: none
# family: cnn
# split: tune
# needs: sklearn
import os

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

SEED = int(os.environ.get("SEED", 0))
np.random.seed(SEED)
torch.manual_seed(SEED)


def mixup(x, y, alpha=0.4):
    lam = float(np.random.beta(alpha, alpha))
    j = torch.randperm(len(x))
    return lam * x + (1 - lam) * x[j], y, y[j], lam


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1, self.c2 = nn.Conv2d(1, 16, 3, padding=1), nn.Conv2d(16, 32, 3, padding=1)
        self.n1, self.n2 = nn.GroupNorm(4, 16), nn.GroupNorm(4, 32)
        self.fc1, self.fc2 = nn.Linear(32 * 4, 64), nn.Linear(64, 10)
        self.drop = nn.Dropout(0.2)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.n1(self.c1(x))), 2)
        x = F.max_pool2d(F.relu(self.n2(self.c2(x))), 2)
        return self.fc2(self.drop(F.relu(self.fc1(x.flatten(1)))))


d = load_digits()
x = torch.tensor(d.images, dtype=torch.float32)[:, None] / 16
x = (x - 0.305) / 0.376
y = torch.tensor(d.target)
p = torch.randperm(len(x))
x, y = x[p], y[p]
net = Net()
opt = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=1e-2)
loader = DataLoader(TensorDataset(x[:1400], y[:1400]), batch_size=50, shuffle=True)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=6e-3, total_steps=8 * len(loader))
for epoch in range(8):
    net.train()
    tot = 0.0
    for xb, yb in loader:
        xm, ya, yb2, lam = mixup(xb, yb)
        out = net(xm)
        loss = lam * F.cross_entropy(out, ya) + (1 - lam) * F.cross_entropy(out, yb2)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        tot += loss.item()
    net.eval()
    with torch.no_grad():
        out = net(x[1400:])
    print(f"epoch {epoch} mixed loss {tot / len(loader):.3f} valid {F.cross_entropy(out, y[1400:]):.3f} acc {(out.argmax(1) == y[1400:]).float().mean():.3f}")
