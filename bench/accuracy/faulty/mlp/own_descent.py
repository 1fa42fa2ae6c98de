# fault: zero-grad
# cause_class: zero-grad, optimizer
# family: mlp
# split: tune
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
centres = torch.randn(10, 20)
y = torch.randint(0, 10, (2000,))
x = centres[y] + torch.randn(2000, 20)
net = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 10))


def sgd(parameters, rate, velocity, momentum=0.5):
    with torch.no_grad():
        for p, v in zip(parameters, velocity):
            v.mul_(momentum).add_(p.grad)
            p.sub_(rate * v)


velocity = [torch.zeros_like(p) for p in net.parameters()]
for step in range(400):
    rows = torch.randint(0, len(x), (64,))
    loss = F.cross_entropy(net(x[rows]), y[rows])
    loss.backward()
    sgd(net.parameters(), 0.05, velocity)
    if step % 50 == 0:
        print(step, round(loss.item(), 3))
