# fault: none
# family: mlp
# split: tune
"""Does the price rise or fall? The data say it in 57 of 100 cases at best."""
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
x = torch.randn(5000, 10)
y = (torch.rand(5000) < torch.sigmoid(0.35 * x[:, 0] - 0.25 * x[:, 1])).float()
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-3)
crit = nn.BCEWithLogitsLoss()
for epoch in range(10):
    for i in torch.randperm(4000).split(64):
        loss = crit(model(x[i]).squeeze(1), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        hit = ((model(x[4000:]).squeeze(1) > 0) == (y[4000:] > 0)).float().mean().item()
    print(epoch, loss.item(), hit)
