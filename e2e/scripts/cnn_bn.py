"""A small convolutional network with BatchNorm and a functional loss."""

import torch
import torch.nn.functional as F
from common import STEPS, Report
from torch import nn

torch.manual_seed(0)


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(),
            nn.Conv2d(8, 16, 3, padding=1, stride=2), nn.BatchNorm2d(16), nn.ReLU(),
            nn.AdaptiveAvgPool2d(1),
        )  # fmt: skip
        self.classifier = nn.Linear(16, 4)

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1))


g = torch.Generator().manual_seed(1)
patterns = torch.randn(4, 3, 16, 16, generator=g)
y = torch.randint(0, 4, (256,), generator=g)
x = patterns[y] + 0.3 * torch.randn(256, 3, 16, 16, generator=g)
model = ConvNet()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=20, gamma=0.5)
report = Report(model)
for step in range(STEPS):
    i = step % 8 * 32
    loss = F.cross_entropy(model(x[i : i + 32]), y[i : i + 32])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    report.step(loss.item())
report.done()
