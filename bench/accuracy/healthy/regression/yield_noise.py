# fault: none
# family: regression
# split: tune
"""Yield of a field from soil data: weather, which nobody measured, makes 96 % of it."""
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
x = torch.randn(4000, 9)
y = 0.2 * x[:, :1] + torch.randn(4000, 1)
model = nn.Sequential(nn.Linear(9, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
for epoch in range(12):
    for i in torch.randperm(4000).split(200):
        loss = nn.functional.mse_loss(model(x[i]), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())
