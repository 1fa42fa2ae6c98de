# fault: not-finite
# cause_class: non-finite, output-activation, loss
# family: regression
# split: held
import math
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)


def make_rides(n):
    """Hourly rides of one station: hour of the day, temperature, rain, weekend."""
    hour = torch.randint(0, 24, (n,)).float()
    temp = torch.randn(n)
    rain = (torch.rand(n) < 0.2).float()
    weekend = (torch.rand(n) < 2 / 7).float()
    rush = torch.exp(-((hour - 8) / 2) ** 2) + torch.exp(-((hour - 17.5) / 2.5) ** 2)
    rate = torch.exp(0.3 + 1.3 * rush * (1 - 0.6 * weekend) + 0.4 * temp - 1.2 * rain)
    x = torch.stack([torch.sin(hour / 12 * math.pi), torch.cos(hour / 12 * math.pi),
                     torch.sin(hour / 6 * math.pi), torch.cos(hour / 6 * math.pi), temp, rain, weekend], 1)
    return x, torch.poisson(rate)


class CountNet(nn.Module):
    def __init__(self, start):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(7, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU())
        self.rate = nn.Linear(48, 1)
        nn.init.constant_(self.rate.bias, start)

    def forward(self, x):
        # counts per hour cannot be negative
        return torch.relu(self.rate(self.trunk(x))).squeeze(1)


def poisson_loss(rate, count):
    return (rate - count * torch.log(rate)).mean()


x, y = make_rides(3000)
train = DataLoader(TensorDataset(x[:2400], y[:2400]), batch_size=64, shuffle=True)
net = CountNet(float(y[:2400].mean()))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)

for epoch in range(12):
    total = 0.0
    for xb, yb in train:
        loss = poisson_loss(net(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(xb)
    net.eval()
    with torch.no_grad():
        mae = (net(x[2400:]) - y[2400:]).abs().mean()
    net.train()
    print(f"epoch {epoch:2d}  loss {total / 2400:.4f}  mae {mae:.3f}")
