"""LBFGS: the optimiser calls a closure, often several times to one update."""

import torch
from common import STEPS, Report, blobs
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(10, 16), nn.Tanh(), nn.Linear(16, 3))
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=4)
criterion = nn.CrossEntropyLoss()
report = Report(model)
x, y = blobs(256, 10, 3)
last = [0.0]


def closure():
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    last[0] = loss.item()
    return loss


for step in range(min(STEPS, 25)):
    optimizer.step(closure)
    report.step(last[0])
report.done()
