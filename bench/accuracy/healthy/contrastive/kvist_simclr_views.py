# fault: none
# family: contrastive
# split: held
import math
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
BATCH, TAU = 128, 0.5


def signals(n):
    t = torch.linspace(0, 1, 48)
    f, p = 1 + 5 * torch.rand(n, 1), 6.28 * torch.rand(n, 1)
    return torch.sin(6.28 * f * t + p) + torch.exp(-((t - torch.rand(n, 1)) / 0.1) ** 2)


def augment(x):
    x = x * (0.8 + 0.4 * torch.rand(len(x), 1)) + 0.2 * torch.randn_like(x)
    return x * (torch.rand_like(x) > 0.1)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(48, 96), nn.BatchNorm1d(96), nn.ReLU(), nn.Linear(96, 96), nn.BatchNorm1d(96), nn.ReLU())
        self.project = nn.Sequential(nn.Linear(96, 64), nn.ReLU(), nn.Linear(64, 32))

    def forward(self, x):
        return F.normalize(self.project(self.body(x)), dim=1)


def nt_xent(a, b):
    z = torch.cat([a, b])
    sim = z @ z.t() / TAU
    sim.fill_diagonal_(-1e9)
    n = len(a)
    target = torch.cat([torch.arange(n) + n, torch.arange(n)])
    return F.cross_entropy(sim, target)


net = Encoder()
opt = torch.optim.Adam(net.parameters(), lr=1e-3, weight_decay=1e-6)
data = signals(2048)
print("log(2N-1) =", round(math.log(2 * BATCH - 1), 3))
for epoch in range(14):
    run = []
    for b in torch.randperm(len(data)).split(BATCH):
        loss = nt_xent(net(augment(data[b])), net(augment(data[b])))
        opt.zero_grad()
        loss.backward()
        opt.step()
        run.append(loss.item())
    if epoch % 2 == 1:
        net.eval()
        with torch.no_grad():
            q, k = net(augment(data[:256])), net(augment(data[:256]))
            top = ((q @ k.t()).argmax(1) == torch.arange(256)).float().mean().item()
        net.train()
        print(f"epoch {epoch} nt-xent {sum(run) / len(run):.4f} retrieval {top:.3f}")
