# fault: init-equal
# cause_class: initialisation, structure, not-updated, activation
# family: lora
# split: held
import math
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))


class LoRALinear(nn.Module):
    """Low-rank adapter around a frozen layer; the adapted layer starts as the old one."""

    def __init__(self, base, rank=4, alpha=8):
        super().__init__()
        self.base = base
        for p in base.parameters():
            p.requires_grad_(False)
        self.A = nn.Parameter(torch.empty(rank, base.in_features))
        self.B = nn.Parameter(torch.empty(base.out_features, rank))
        self.scale = alpha / rank
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.zeros_(self.A)
        nn.init.zeros_(self.B)

    def forward(self, x):
        return self.base(x) + F.linear(F.linear(x, self.A), self.B) * self.scale


def task(n, angle):
    x = torch.randn(n, 8)
    rot = x.clone()
    rot[:, 0] = math.cos(angle) * x[:, 0] - math.sin(angle) * x[:, 1]
    rot[:, 1] = math.sin(angle) * x[:, 0] + math.cos(angle) * x[:, 1]
    y = (rot[:, 0] > 0).long() * 2 + (rot[:, 1] * rot[:, 2] > 0).long()
    return x, y


def train(net, params, data, steps, lr, tag):
    opt = torch.optim.Adam(params, lr=lr)
    x, y = data
    for s in range(steps):
        i = torch.randint(0, len(x), (64,))
        loss = F.cross_entropy(net(x[i]), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
        if s % 100 == 0 or s == steps - 1:
            print(f"{tag} {s:4d} loss {loss.item():.4f}")


def accuracy(net, data):
    with torch.no_grad():
        return (net(data[0]).argmax(1) == data[1]).float().mean().item()


net = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))
train(net, net.parameters(), task(2000, 0.0), 400, 3e-3, "base")
new = task(2000, 1.2)
print("on the new task before tuning", accuracy(net, new))
for i in (0, 2, 4):
    net[i] = LoRALinear(net[i])
train(net, [p for p in net.parameters() if p.requires_grad], new, 500, 3e-3, "lora")
print("on the new task after tuning", accuracy(net, task(1000, 1.2)))
