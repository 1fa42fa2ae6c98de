"""Asks on standard input before it trains."""

import torch
from common import Report, batches, blobs
from torch import nn

steps = int(input("steps? "))
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 5))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.CrossEntropyLoss()
report = Report(model)
x, y = blobs(1024, 20, 5)
for a, b in batches(x, y, 64, steps):
    optimizer.zero_grad()
    loss = criterion(model(a), b)
    loss.backward()
    optimizer.step()
    report.step(loss.item())
report.done()
