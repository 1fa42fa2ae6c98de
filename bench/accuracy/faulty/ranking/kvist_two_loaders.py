# fault: labels-shuffled
# cause_class: labels, data-loading
# family: ranking
# split: tune
import os

import torch
import torch.nn as nn
from torch.utils.data import DataLoader

torch.manual_seed(int(os.environ.get("SEED", 0)))


def make_cars(n):
    x = torch.randn(n, 9)
    grade = (x[:, 0] * 1.5 + x[:, 1].abs() * 1.2 - x[:, 2] + 0.8 * x[:, 3] * x[:, 4])
    edges = torch.tensor([-1.0, 0.6, 2.2])
    return x, torch.bucketize(grade, edges)


class Ordinal(nn.Module):
    """Cumulative logits: one score and ordered thresholds."""

    def __init__(self, d, classes):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(d, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1))
        self.theta0 = nn.Parameter(torch.tensor(-1.0))
        self.gaps = nn.Parameter(torch.zeros(classes - 2))

    def forward(self, x):
        cuts = torch.cat([self.theta0[None], self.theta0 + nn.functional.softplus(self.gaps).cumsum(0)])
        return self.score(x) - cuts


def coral_loss(logits, y):
    levels = (y[:, None] > torch.arange(logits.size(1))).float()
    return nn.functional.binary_cross_entropy_with_logits(logits, levels)


x, y = make_cars(2000)
xv, yv = make_cars(500)
feature_loader = DataLoader(x, batch_size=40, shuffle=True)
label_loader = DataLoader(y, batch_size=40, shuffle=True)
net = Ordinal(9, 4)
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(10):
    s = 0.0
    for xb, yb in zip(feature_loader, label_loader):
        loss = coral_loss(net(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item()
    with torch.no_grad():
        o = net(xv)
        mae = ((o > 0).sum(1) - yv).abs().float().mean()
    print(f"epoch {epoch} loss {s / len(label_loader):.4f} val {coral_loss(o, yv).item():.4f} grade error {mae.item():.3f}")
