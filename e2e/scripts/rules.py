"""A training with several faults at once: a layer whose weights are far too large, so that tanh saturates; gradients that are always
clipped; and a validation set that is nothing like the training set. SEED is the seed.
"""

import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))
x = torch.randn(64, 10)
y = (x[:, 0] > 0).long()
xv = torch.randn(256, 10) + 3
yv = (xv[:, 0] > 3).long()
net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 2))
with torch.no_grad():
    net[2].weight.mul_(1e5)
optimiser = torch.optim.SGD(net.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
for epoch in range(6):
    net.train()
    for _ in range(10):
        optimiser.zero_grad()
        criterion(net(x), y).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1e-3)
        optimiser.step()
    net.eval()
    with torch.no_grad():
        for _ in range(3):
            criterion(net(xv), yv)
