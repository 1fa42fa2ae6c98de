"""A classifier of two layers: the plainest training there is."""

import torch
from common import STEPS, Report, batches, blobs
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(20, 64)
        self.act = nn.ReLU()
        self.out = nn.Linear(64, 5)

    def forward(self, x):
        return self.out(self.act(self.hidden(x)))


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.CrossEntropyLoss()
report = Report(model)
x, y = blobs(1024, 20, 5)
for a, b in batches(x, y, 64, STEPS):
    optimizer.zero_grad()
    loss = criterion(model(a), b)
    loss.backward()
    optimizer.step()
    report.step(loss.item())
report.done()
