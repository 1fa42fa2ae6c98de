# fault: class-imbalance
# cause_class: imbalance, labels, loss
# family: tabular
# split: tune
"""Which pumps fail within a week: sixty readings in a window, a small convolution, one output."""
import os

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


def windows(n):
    fails = torch.rand(n) < 0.012
    t = torch.arange(60)
    x = torch.sin(0.4 * t + 6.3 * torch.rand(n, 1)) + 0.9 * torch.randn(n, 60)
    x = x + fails[:, None] * 0.012 * t
    return x[:, None], fails.float()


class PumpNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1, self.c2 = nn.Conv1d(1, 8, 7, stride=2), nn.Conv1d(8, 16, 5, stride=2)
        self.out = nn.Linear(16, 1)

    def forward(self, x):
        h = F.relu(self.c2(F.relu(self.c1(x)))).mean(2)
        return self.out(h).squeeze(1)


x, y = windows(10000)
xv, yv = windows(3000)
net = PumpNet()
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(5):
    for part in torch.randperm(len(x)).split(100):
        loss = F.binary_cross_entropy_with_logits(net(x[part]), y[part])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        alarm = net(xv) > 0
    print(f"epoch {epoch} loss {loss.item():.4f} accuracy {(alarm == (yv > 0)).float().mean():.4f} found {int((alarm & (yv > 0)).sum())} of {int(yv.sum())}")
