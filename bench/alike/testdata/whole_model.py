"""A classifier that is saved whole when it is best, read again, and compiled to TorchScript at the end."""

import time

import torch
from torch import nn

torch.manual_seed(1)
x = torch.randn(120, 10)
y = (x[:, 0] + x[:, 1] ** 2 > 1).long()
model = nn.Sequential(nn.Linear(10, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 2))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
best = None
for epoch in range(6):
    began = time.time()
    for rows in torch.randperm(100).split(20):
        optimizer.zero_grad()
        criterion(model(x[rows]), y[rows]).backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        loss = criterion(model(x[100:]), y[100:]).item()
    model.train()
    print("epoch %d | validation loss %.6f | %.3f s" % (epoch, loss, time.time() - began))
    if best is None or loss < best:
        best = loss
        torch.save(model, "best.pt")
model = torch.load("best.pt", weights_only=False)
model.eval()
print("best", criterion(model(x[100:]), y[100:]).item())
torch.save(model, "again.pt")
torch.jit.script(model).save("script.pt")
