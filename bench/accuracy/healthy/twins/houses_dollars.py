# fault: none
# family: regression
# split: tune
"""Sale price of a house in dollars."""
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
n = 1500
area = torch.randn(n)
rooms = torch.randn(n)
dist = torch.randn(n)
price = 310_000 + 90_000 * area + 25_000 * rooms - 60_000 * torch.tanh(dist) + 8_000 * torch.randn(n)
X = torch.stack([area, rooms, dist], 1)
Y = price.unsqueeze(1)
Y = (Y - 310_000) / 110_000

net = nn.Sequential(nn.Linear(3, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
mse = nn.MSELoss()
for epoch in range(10):
    for b in torch.randperm(1200).split(40):
        opt.zero_grad()
        loss = mse(net(X[b]), Y[b])
        loss.backward()
        opt.step()
    with torch.no_grad():
        test = mse(net(X[1200:]), Y[1200:])
    print("epoch", epoch, "train", loss.item(), "test", test.item())
