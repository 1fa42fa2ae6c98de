# fault: none
# family: regression
# split: held
# house prices one at a time, as they come in; tiny steps
import os
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", "0")))


def houses(n):
    area, age, rooms, dist = torch.rand(n), torch.rand(n), torch.rand(n), torch.rand(n)
    price = 2.0 * area + 0.5 * rooms * area - 0.8 * age - dist ** 2 + 0.15 * torch.randn(n)
    return torch.stack([area, age, rooms, dist], 1) * 2 - 1, (price - 0.45).unsqueeze(1) / 0.8


x, y = houses(800)
xv, yv = houses(300)
net = nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 1))
opt = torch.optim.Adam(net.parameters(), lr=4e-4)
smooth = None
seen = 0
for epoch in range(2):
    for a, b in DataLoader(TensorDataset(x, y), batch_size=1, shuffle=True):
        loss = (net(a) - b).pow(2).sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
        seen += 1
        smooth = loss.item() if smooth is None else 0.99 * smooth + 0.01 * loss.item()
        if seen % 200 == 0:
            with torch.no_grad():
                r2 = 1 - (net(xv) - yv).pow(2).mean() / yv.var()
            print(f"{seen} houses, this loss {loss.item():.4f}, smoothed {smooth:.4f}, R2 {r2.item():.3f}")
