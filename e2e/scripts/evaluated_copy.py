"""An average of the weights, written by hand, is evaluated after each epoch; with "forgotten" nobody updates it."""

import copy
import sys

import torch
from common import Report, batches, blobs
from torch import nn
from torch.nn import functional

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 5))
average = copy.deepcopy(model).requires_grad_(False).eval()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
report = Report(model)
x, y = blobs(1024, 20, 5)
for epoch in range(6):
    for a, b in batches(x[:768], y[:768], 64, 12):
        optimizer.zero_grad()
        loss = functional.cross_entropy(model(a), b)
        loss.backward()
        optimizer.step()
        if sys.argv[1:] != ["forgotten"]:
            with torch.no_grad():
                for mean, new in zip(average.parameters(), model.parameters()):
                    mean.lerp_(new, 0.1)
        report.step(loss.item())
    order = torch.randperm(256)
    with torch.no_grad():
        losses = [functional.cross_entropy(average(a), b).item() for a, b in batches(x[768:][order], y[768:][order], 64, 4)]
    print("epoch %d: %.4f" % (epoch, sum(losses) / len(losses)))
report.done()
