"""A script that leaves by os._exit: nothing of Python's exit runs."""

import os

import torch
from common import Report, batches, blobs
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 5))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
report = Report(model)
x, y = blobs(1024, 20, 5)
for i, (a, b) in enumerate(batches(x, y, 64, 30)):
    optimizer.zero_grad()
    loss = criterion(model(a), b)
    loss.backward()
    optimizer.step()
    report.step(loss.item())
    if i == 24:
        os._exit(9)
