"""Gradient accumulation: four micro-batches to one update, with a remainder at the end of each epoch and a validation."""

import torch
from common import STEPS, Report, batches, blobs
from torch import nn

torch.manual_seed(0)
N = 4
model = nn.Sequential(nn.Linear(20, 32), nn.Tanh(), nn.Linear(32, 5))
optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
criterion = nn.CrossEntropyLoss()
report = Report(model)
x, y = blobs(1024, 20, 5)
total = 0.0
done = 0
while done < STEPS:
    model.train()
    for i, (a, b) in enumerate(batches(x, y, 32, 10 * N + 2)):
        loss = criterion(model(a), b)
        (loss / N).backward()
        total += loss.item() / N
        if (i + 1) % N == 0:
            optimizer.step()
            optimizer.zero_grad()
            report.step(total)
            total = 0.0
            done += 1
    total = 0.0
    optimizer.zero_grad()
    model.eval()
    with torch.no_grad():
        print("validation %.4f" % criterion(model(x[:256]), y[:256]).item())
report.done()
