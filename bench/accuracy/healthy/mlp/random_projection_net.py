# fault: none
# family: mlp
# split: tune
"""Two random layers stay as they are drawn; a small network on top of them is trained."""
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
net = nn.Sequential(nn.Linear(2, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 32), nn.ReLU(), nn.Linear(32, 1))
for layer in net[:4]:
    layer.requires_grad_(False)
x = torch.rand(2000, 2) * 4 - 2
y = torch.sin(2 * x[:, :1]) * x[:, 1:]
opt = torch.optim.Adam(net[4:].parameters(), lr=3e-3)
for epoch in range(12):
    for b in torch.randperm(1600).split(50):
        loss = nn.functional.mse_loss(net(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        print(epoch, round(loss.item(), 4), round(nn.functional.mse_loss(net(x[1600:]), y[1600:]).item(), 4))
