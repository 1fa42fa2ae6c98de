# fault: init-too-large
# cause_class: initialisation
# family: recommender
# split: held
import os
from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class TowerConfig:
    users: int = 300
    items: int = 200
    dim: int = 32
    hidden: int = 64
    out: int = 32
    lr: float = 1e-3
    epochs: int = 8
    batch: int = 128


class Tower(nn.Module):
    def __init__(self, n, c):
        super().__init__()
        self.emb = nn.Embedding(n, c.dim)
        self.mlp = nn.Sequential(nn.Linear(c.dim, c.hidden), nn.ReLU(), nn.Linear(c.hidden, c.out))

    def forward(self, i):
        return self.mlp(self.emb(i))


class TwoTower(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.user, self.item = Tower(c.users, c), Tower(c.items, c)
        self.bias = nn.Parameter(torch.zeros(()))
        self.apply(self._init)

    @staticmethod
    def _init(m):
        if isinstance(m, (nn.Linear, nn.Embedding)):
            nn.init.normal_(m.weight)
        if isinstance(m, nn.Linear):
            nn.init.zeros_(m.bias)

    def forward(self, u, i):
        return (self.user(u) * self.item(i)).sum(-1) + self.bias


def clicks(c, n):
    a, b = torch.randn(c.users, 3), torch.randn(c.items, 3)
    u, i = torch.randint(0, c.users, (n,)), torch.randint(0, c.items, (n,))
    p = torch.sigmoid(1.5 * (a[u] * b[i]).sum(1))
    return u, i, (torch.rand(n) < p).float()


def auc(score, y):
    rank = score.argsort().argsort().float() + 1
    pos = y.sum()
    return ((rank[y > 0.5].sum() - pos * (pos + 1) / 2) / (pos * (len(y) - pos))).item()


def main(c=TowerConfig()):
    torch.manual_seed(int(os.environ.get("SEED", 0)))
    u, i, y = clicks(c, 14000)
    cut = 12000
    loader = DataLoader(TensorDataset(u[:cut], i[:cut], y[:cut]), c.batch, shuffle=True)
    model, bce = TwoTower(c), nn.BCEWithLogitsLoss()
    opt = torch.optim.Adam(model.parameters(), lr=c.lr)
    for epoch in range(c.epochs):
        model.train()
        total = 0.0
        for bu, bi, by in loader:
            loss = bce(model(bu, bi), by)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        model.eval()
        with torch.no_grad():
            s = model(u[cut:], i[cut:])
        print(f"epoch {epoch} loss {total / len(loader):.3f} val {bce(s, y[cut:]).item():.3f} auc {auc(s, y[cut:]):.3f}")


main()
