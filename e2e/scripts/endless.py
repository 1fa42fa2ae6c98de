"""Trains until it is stopped; says how when Ctrl-C comes."""

import sys
import time

import torch
from common import Report, batches, blobs
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 5))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
criterion = nn.CrossEntropyLoss()
report = Report(model)
x, y = blobs(1024, 20, 5)
try:
    for a, b in batches(x, y, 64, 10**9):
        optimizer.zero_grad()
        loss = criterion(model(a), b)
        loss.backward()
        optimizer.step()
        report.step(loss.item())
        time.sleep(0.01)
except KeyboardInterrupt:
    print("interrupted after %d steps" % report.n, flush=True)
    sys.exit(130)
