# fault: none
# family: finetune
# split: tune
# Gradual unfreezing: the group of the lower layers has lr 0 for a while, then a small one.
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))

proto = torch.randn(8, 14)


def old_task(n):
    y = torch.randint(0, 8, (n,))
    return proto[y] + 0.6 * torch.randn(n, 14), y


def new_task(n):
    x, y = old_task(n)
    return x, y % 3


body = nn.Sequential(nn.Linear(14, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU())
ce = nn.CrossEntropyLoss()


def loop(net, opt, steps, task):
    hist = []
    for _ in range(steps):
        x, y = task(48)
        opt.zero_grad()
        loss = ce(net(x), y)
        loss.backward()
        opt.step()
        hist.append(loss.item())
    return hist


old = nn.Sequential(body, nn.Linear(32, 8))
loop(old, torch.optim.Adam(old.parameters(), lr=3e-3), 120, old_task)

net = nn.Sequential(body, nn.Linear(32, 3))
opt = torch.optim.Adam([{"params": net[1].parameters(), "lr": 3e-3}, {"params": body.parameters(), "lr": 0.0}])
hist = loop(net, opt, 80, new_task)
opt.param_groups[1]["lr"] = 3e-4
hist += loop(net, opt, 120, new_task)
print(f"loss first {hist[0]:.4f} last {hist[-1]:.4f}")
