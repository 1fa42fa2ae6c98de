# fault: broadcast-targets
# cause_class: labels, loss
# family: regression
# split: held
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


class RobustLoss(nn.Module):
    """Huber loss with weights for rare cars."""

    def __init__(self, delta=1.0):
        super().__init__()
        self.delta = delta

    def forward(self, pred, target, weight):
        err = pred - target
        small = err.abs() <= self.delta
        huber = torch.where(small, 0.5 * err ** 2, self.delta * (err.abs() - 0.5 * self.delta))
        return (weight * huber).mean()


def cars(n):
    weight = torch.randn(n)
    power = 0.6 * weight + 0.8 * torch.randn(n)
    year = torch.randn(n)
    diesel = (torch.rand(n) < 0.3).float()
    use = 0.7 * weight + 0.5 * power - 0.4 * year - 0.5 * diesel + 0.2 * weight * power + 0.15 * torch.randn(n)
    rare = torch.where(diesel > 0, 1.3, 0.9)
    return torch.stack([weight, power, year, diesel], 1), use, rare


x, y, w = cars(2000)
xt, yt, _ = cars(500)

model = nn.Sequential(nn.Linear(4, 32), nn.SiLU(), nn.Linear(32, 32), nn.SiLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
criterion = RobustLoss()

for epoch in range(12):
    order = torch.randperm(len(x))
    seen = []
    for part in order.split(50):
        opt.zero_grad()
        loss = criterion(model(x[part]), y[part], w[part])
        loss.backward()
        opt.step()
        seen.append(loss.item())
    with torch.no_grad():
        rmse = (model(xt).flatten() - yt).pow(2).mean().sqrt()
    print(f"{epoch:2d} loss {sum(seen) / len(seen):.4f} rmse {rmse:.3f} (spread of the targets {yt.std():.3f})")
