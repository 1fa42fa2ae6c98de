"""A validation loop between epochs."""

import torch
from common import STEPS, Report, batches, blobs
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 5))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.CrossEntropyLoss()
val_criterion = nn.CrossEntropyLoss(reduction="mean")
report = Report(model)
x, y = blobs(1024, 20, 5)
for epoch in range(max(STEPS // 10, 1)):
    model.train()
    for a, b in batches(x[:768], y[:768], 64, 10):
        optimizer.zero_grad()
        loss = criterion(model(a), b)
        loss.backward()
        optimizer.step()
        report.step(loss.item())
    model.eval()
    with torch.no_grad():
        losses = [val_criterion(model(a), b).item() for a, b in batches(x[768:], y[768:], 64, 4)]
    print("epoch %d validation %.4f" % (epoch, sum(losses) / len(losses)))
report.done()
