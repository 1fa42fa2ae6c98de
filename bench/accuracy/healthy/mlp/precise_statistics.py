# fault: none
# family: mlp
# split: tune
"""A classifier whose running statistics are made anew from several batches before each evaluation."""
import os

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
centres = torch.randn(5, 20)
Y = torch.randint(0, 5, (1024,))
X = centres[Y] + torch.randn(1024, 20)
net = nn.Sequential(nn.Linear(20, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 5))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)


def precise(model, batches):
    norms = [m for m in model.modules() if isinstance(m, nn.BatchNorm1d)]
    was = [m.momentum for m in norms]
    for m in norms:
        m.reset_running_stats()
        m.momentum = None
    with torch.no_grad():
        for b in batches:
            model(X[b])
    for m, momentum in zip(norms, was):
        m.momentum = momentum


for epoch in range(6):
    net.train()
    for b in torch.randperm(1024).split(64):
        loss = F.cross_entropy(net(X[b]), Y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    precise(net, torch.randperm(1024).split(64)[:8])
    net.eval()
    with torch.no_grad():
        print(epoch, loss.item(), (net(X[:256]).argmax(1) == Y[:256]).float().mean().item())
