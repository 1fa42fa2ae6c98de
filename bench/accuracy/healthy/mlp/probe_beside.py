# fault: none
# family: mlp
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

body = nn.Sequential(nn.Linear(20, 48), nn.ReLU(), nn.Linear(48, 32), nn.ReLU())
head = nn.Linear(32, 6)
probe = nn.Linear(32, 2)
opt = torch.optim.Adam([*body.parameters(), *head.parameters(), *probe.parameters()], lr=2e-3)
for i in range(300):
    x, y = batch()
    h = body(x)
    loss = F.cross_entropy(head(h), y) + F.cross_entropy(probe(h.detach()), y % 2)
    opt.zero_grad()
    loss.backward()
    opt.step()
