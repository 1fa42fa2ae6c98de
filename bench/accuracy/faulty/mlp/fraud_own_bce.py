# fault: not-finite
# cause_class: non-finite, loss
# family: mlp
# split: tune
import os

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))


class LogLoss(nn.Module):
    """Binary log loss, with more weight on the rare class."""

    def __init__(self, w=3.0):
        super().__init__()
        self.w = w

    def forward(self, p, y):
        return -(self.w * y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()


def transactions(n):
    y = (torch.rand(n) < 0.2).float()
    x = torch.randn(n, 12)
    x[:, :4] += 4.0 * y[:, None]
    return x, y


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1), nn.Sigmoid())

    def forward(self, x):
        return self.f(x).squeeze(1)


xtr, ytr = transactions(2000)
xte, yte = transactions(500)
net, crit = Model(), LogLoss()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(25):
    net.train()
    losses = []
    for x, y in DataLoader(TensorDataset(xtr, ytr), batch_size=50, shuffle=True):
        loss = crit(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    net.eval()
    with torch.no_grad():
        acc = ((net(xte) > 0.5) == (yte > 0.5)).float().mean().item()
    if epoch % 2 == 0:
        print(f"epoch {epoch} loss {sum(losses) / len(losses):.5f} acc {acc:.3f}")
