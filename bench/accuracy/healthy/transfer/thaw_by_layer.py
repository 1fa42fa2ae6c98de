# fault: none
# family: transfer
# split: tune
# needs: sklearn
"""Pretrains on even digits, then learns the odd ones: head first, the body later at a hundredth of the rate."""
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(int(os.environ.get("SEED", 0)))
d = load_digits()
x, y = torch.tensor(d.images, dtype=torch.float32)[:, None] / 8 - 1, torch.tensor(d.target)
p = torch.randperm(len(x))
x, y = x[p], y[p]


def task(parity):
    m = y % 2 == parity
    a, b = x[m], y[m] // 2
    return a[:700], b[:700], a[700:], b[700:]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                                  nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten())
        self.head = nn.Linear(128, 5)

    def forward(self, x):
        return self.head(self.body(x))


def epochs(net, opt, data, n, tag):
    xt, yt, xv, yv = data
    for e in range(n):
        net.train()
        tot = 0.0
        for idx in torch.randperm(len(xt)).split(35):
            loss = F.cross_entropy(net(xt[idx]), yt[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            tot += loss.item()
        net.eval()
        with torch.no_grad():
            acc = (net(xv).argmax(1) == yv).float().mean().item()
        print(f"{tag} {e} loss {tot / 20:.4f} acc {acc:.3f}")


net = Net()
epochs(net, torch.optim.Adam(net.parameters(), lr=3e-3), task(0), 5, "pretraining")

net.head = nn.Linear(128, 5)
net.body.requires_grad_(False)
epochs(net, torch.optim.Adam(net.head.parameters(), lr=3e-3), task(1), 6, "head")

net.body.requires_grad_(True)
groups = [{"params": net.body.parameters(), "lr": 3e-5}, {"params": net.head.parameters(), "lr": 1e-3}]
epochs(net, torch.optim.Adam(groups), task(1), 4, "all")
