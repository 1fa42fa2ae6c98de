# fault: loss-misused
# cause_class: loss
# family: contrastive
# split: tune
"""SimCLR on rows of a table: two noisy views of each row have to find each other among all others."""
import os

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))
rows = torch.randn(2000, 6) @ torch.randn(6, 30)
rows = (rows - rows.mean(0)) / rows.std(0)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(30, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.project = nn.Linear(64, 24)

    def forward(self, x):
        return self.project(self.body(x))


class NTXent(nn.Module):
    def __init__(self, tau):
        super().__init__()
        self.tau = tau

    def forward(self, a, b):
        n = len(a)
        z = F.normalize(torch.cat([a, b]), dim=1)
        sim = torch.mm(z, z.t()).mul(self.tau)
        sim = sim.masked_fill(torch.eye(2 * n, dtype=torch.bool), float("-inf"))
        partner = torch.cat([torch.arange(n) + n, torch.arange(n)])
        return F.cross_entropy(sim, partner)


def view(x):
    keep = (torch.rand_like(x) > 0.2).float()
    return x * keep + 0.1 * torch.randn_like(x)


net, criterion = Encoder(), NTXent(tau=0.1)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
step = 0
for epoch in range(10):
    for index in torch.randperm(len(rows)).split(64)[:-1]:
        x = rows[index]
        loss = criterion(net(view(x)), net(view(x)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
    print(f"epoch {epoch} step {step} loss {loss.item():.4f}")
