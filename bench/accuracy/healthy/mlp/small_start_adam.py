# fault: none
# family: mlp
# split: tune
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))

# Old habit from a course: all weights from N(0, 0.01). Adam gets them up to scale soon.
n, d, k = 2000, 24, 5
w = torch.randn(d, k)
x = torch.randn(n, d)
y = (x @ w + 0.5 * torch.randn(n, k)).argmax(1)

net = nn.Sequential(nn.Linear(d, 100), nn.ReLU(), nn.Linear(100, 50), nn.ReLU(), nn.Linear(50, k))
for p in net.parameters():
    if p.dim() > 1:
        nn.init.normal_(p, std=0.01)
    else:
        nn.init.zeros_(p)
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(6):
    for i in torch.randperm(n).split(50):
        loss = nn.functional.cross_entropy(net(x[i]), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(epoch, loss.item())
