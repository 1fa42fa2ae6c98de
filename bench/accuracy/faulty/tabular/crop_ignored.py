# fault: loss-misused
# cause_class: loss, labels
# family: tabular
# split: tune
import os
import random

import torch
import torch.nn as nn

SEED = int(os.environ.get("SEED", "0"))
random.seed(SEED)
torch.manual_seed(SEED)

CROPS = ["barley", "maize", "oats", "rape", "wheat"]


def fields(n):
    """spectral bands of fields and what grows on them"""
    y = torch.randint(0, len(CROPS), (n,))
    x = SPECTRA[y] + 0.7 * torch.randn(n, 10)
    return x, y


SPECTRA = torch.randn(len(CROPS), 10)
x, y = fields(3000)
xv, yv = fields(800)

net = nn.Sequential(nn.Linear(10, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU(), nn.Linear(40, len(CROPS)))
loss_of = nn.CrossEntropyLoss(ignore_index=0)
adam = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(5):
    order = torch.randperm(len(x))
    for part in order.split(50):
        loss = loss_of(net(x[part]), y[part])
        adam.zero_grad()
        loss.backward()
        adam.step()
    with torch.no_grad():
        guess = net(xv).argmax(1)
    per = [(guess[yv == k] == k).float().mean().item() for k in range(len(CROPS))]
    print(epoch, f"{loss.item():.4f}", {c: round(p, 2) for c, p in zip(CROPS, per)})
