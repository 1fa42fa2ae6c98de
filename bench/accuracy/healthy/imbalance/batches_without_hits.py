# fault: none
# family: imbalance
# split: tune
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))
net = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 1))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
w = torch.randn(12)
for step in range(600):
    x = torch.randn(8, 12)
    y = (x @ w > 3.0).float()
    found = y > 0
    opt.zero_grad()
    if found.any():
        out = net(x[found]).squeeze(1)
        loss = nn.functional.softplus(-out).mean() + nn.functional.softplus(net(x[~found]).squeeze(1)).mean()
    else:
        loss = torch.zeros((), requires_grad=True)
    loss.backward()
    opt.step()
    if step % 100 == 0:
        print(step, loss.item())
