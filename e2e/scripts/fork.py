"""The script forks while it trains: the child computes something and leaves."""

import os

import torch
from common import STEPS, Report, batches, blobs
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 5))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
report = Report(model)
x, y = blobs(1024, 20, 5)
for i, (a, b) in enumerate(batches(x, y, 64, STEPS)):
    optimizer.zero_grad()
    loss = criterion(model(a), b)
    loss.backward()
    optimizer.step()
    report.step(loss.item())
    if i == 10:
        pid = os.fork()
        if pid == 0:
            with torch.no_grad():
                ok = torch.isfinite(model(x[:4])).all().item()
            os._exit(7 if ok else 1)
        _, status = os.waitpid(pid, 0)
        print("child %d" % (status >> 8), flush=True)
report.done()
