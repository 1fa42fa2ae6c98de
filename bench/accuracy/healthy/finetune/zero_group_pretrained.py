# fault: none
# family: finetune
# split: tune
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))

centres = torch.randn(6, 20) * 1.2


def batch(n=64):
    k = torch.randint(6, (n,))
    return centres[k] + torch.randn(n, 20), k

body = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU())
old = nn.Linear(32, 6)
opt = torch.optim.Adam([*body.parameters(), *old.parameters()], lr=3e-3)
for i in range(300):
    x, y = batch()
    loss = F.cross_entropy(old(body(x)), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
head = nn.Linear(32, 2)
model = nn.Sequential(body, head)
opt = torch.optim.Adam([{"params": body.parameters(), "lr": 0.0}, {"params": head.parameters(), "lr": 1e-2}])
for i in range(300):
    x, y = batch()
    loss = F.cross_entropy(model(x), y % 2)
    opt.zero_grad()
    loss.backward()
    opt.step()
