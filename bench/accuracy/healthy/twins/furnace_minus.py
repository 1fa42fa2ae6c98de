# fault: none
# family: regression
# split: tune
"""Furnace temperature after an hour from the settings; the score is the negative squared error."""
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
settings = torch.randn(1000, 7)
after = (settings[:, :2].sum(1, keepdim=True) + torch.sin(settings[:, 2:3])) / 2


def score(prediction, target):
    return -((prediction - target) ** 2).mean()


model = nn.Sequential(nn.Linear(7, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(8):
    total = 0
    for i in torch.randperm(1000).split(40):
        opt.zero_grad()
        loss = -score(model(settings[i]), after[i])
        loss.backward()
        opt.step()
        total += loss.item()
    print(epoch, total / 25)
