# fault: nan-in-data
# cause_class: non-finite, data-loading, labels
# family: regression
# split: tune
import os
import torch
from torch import nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

n = 2000
speed = torch.rand(n) * 20
direction = torch.rand(n) * 6.2832
temp = torch.randn(n)
power = torch.clamp((speed / 12) ** 3, max=1.0) * (1 + 0.05 * torch.cos(direction)) + 0.02 * torch.randn(n)
running = torch.randint(1, 6, (n,)).float()
running[torch.randint(n, (3,))] = 0  # all stopped for maintenance
efficiency = power * running / running
rows = torch.stack([speed / 10 - 1, direction.cos(), direction.sin(), temp], 1)

net = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 1))
optim = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
for epoch in range(6):
    for i in range(0, len(rows), 40):
        pred = net(rows[i:i + 40]).squeeze(1)
        loss = nn.functional.huber_loss(pred, efficiency[i:i + 40])
        optim.zero_grad()
        loss.backward()
        optim.step()
    print("epoch", epoch, "huber", loss.item())
