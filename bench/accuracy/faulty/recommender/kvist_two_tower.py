# fault: not-in-optimiser
# cause_class: not-updated, optimizer
# family: recommender
# split: held
import os
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    users: int = 300
    items: int = 120
    dim: int = 16
    lr_user: float = 1e-2
    lr_item: float = 1e-2
    wd: float = 1e-6
    batch: int = 64
    steps: int = 800


class Tower(nn.Module):
    def __init__(self, n, d):
        super().__init__()
        self.table = nn.Embedding(n, d)
        self.proj = nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, d))
        nn.init.normal_(self.table.weight, std=0.3)

    def forward(self, i):
        return self.proj(self.table(i))


class TwoTower(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.user_tower = Tower(c.users, c.dim)
        self.product_tower = Tower(c.items, c.dim)
        self.bias = nn.Parameter(torch.zeros(()))

    def forward(self, u, i):
        return (self.user_tower(u) * self.product_tower(i)).sum(-1) + self.bias


def param_groups(model, c):
    groups = {"user": [], "item": [], "other": []}
    for name, p in model.named_parameters():
        head = name.split("_")[0]
        if head in groups:
            groups[head].append(p)
        elif name == "bias":
            groups["other"].append(p)
    spec = [("user", c.lr_user), ("item", c.lr_item), ("other", c.lr_user)]
    return [{"params": groups[k], "lr": lr} for k, lr in spec if groups[k]]


def main():
    torch.manual_seed(int(os.environ.get("SEED", 0)))
    c = Config()
    pu, pi = torch.randn(c.users, 4), torch.randn(c.items, 4)
    u, i = torch.randint(0, c.users, (9000,)), torch.randint(0, c.items, (9000,))
    like = ((pu[u] * pi[i]).sum(1) + 0.3 * torch.randn(9000) > 0).float()
    model = TwoTower(c)
    opt = torch.optim.AdamW(param_groups(model, c), weight_decay=c.wd)
    for step in range(c.steps):
        b = torch.randint(0, 7500, (c.batch,))
        loss = F.binary_cross_entropy_with_logits(model(u[b], i[b]), like[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 100 == 99:
            with torch.no_grad():
                acc = ((model(u[7500:], i[7500:]) > 0).float() == like[7500:]).float().mean()
            print(f"{step + 1:4d} bce {loss.item():.4f} held-out acc {acc.item():.3f}")


main()
