"""A frozen backbone, fine-tuned at its head, in eval() mode so that BatchNorm stays as it is."""

import torch
from common import STEPS, Report, batches, blobs
from torch import nn

torch.manual_seed(0)


class Tuned(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(20, 64), nn.BatchNorm1d(64), nn.ReLU())
        self.head = nn.Linear(64, 5)

    def forward(self, x):
        with torch.no_grad():
            features = self.backbone(x)
        return self.head(features)


model = Tuned()
for p in model.backbone.parameters():
    p.requires_grad_(False)
model.eval()
optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.1)
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
