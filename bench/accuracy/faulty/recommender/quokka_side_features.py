# fault: detached-mid-network
# cause_class: not-updated, structure
# family: recommender
# split: tune
import os
from dataclasses import dataclass, field
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))


@dataclass
class Conf:
    users: int = 150
    items: int = 200
    dim: int = 12
    hidden: list = field(default_factory=lambda: [32, 16])
    lr: float = 5e-3
    batch: int = 256
    epochs: int = 15


class NeuralCF(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.u = nn.Embedding(c.users, c.dim)
        self.i = nn.Embedding(c.items, c.dim)
        nn.init.normal_(self.u.weight, std=0.3)
        nn.init.normal_(self.i.weight, std=0.3)
        layers, last = [], 3 * c.dim
        for h in c.hidden:
            layers += [nn.Linear(last, h), nn.ReLU()]
            last = h
        self.mlp = nn.Sequential(*layers, nn.Linear(last, 1))
        self.cache = {}

    def vectors(self, users, items):
        u, i = self.u(users), self.i(items)
        self.cache["last"] = torch.stack([u.detach().norm(dim=1).mean(), i.detach().norm(dim=1).mean()])
        return torch.tensor(torch.cat([u, i, u * i], 1).tolist())

    def forward(self, users, items):
        return self.mlp(self.vectors(users, items)).squeeze(1)


def ratings(c, n=12000):
    pu, pi = torch.randn(c.users, 3), torch.randn(c.items, 3)
    u, i = torch.randint(0, c.users, (n,)), torch.randint(0, c.items, (n,))
    r = (pu[u] * pi[i]).sum(1) / 3 ** 0.5 + 0.2 * torch.randn(n)
    return u, i, (r - r.mean()) / r.std()


c = Conf()
u, i, r = ratings(c)
k = 10000
model = NeuralCF(c)
opt = torch.optim.Adam(model.parameters(), lr=c.lr)
for epoch in range(c.epochs):
    model.train()
    tot = 0.0
    for b in torch.randperm(k).split(c.batch):
        loss = F.mse_loss(model(u[b], i[b]), r[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() * len(b)
    model.eval()
    with torch.no_grad():
        v = F.mse_loss(model(u[k:], i[k:]), r[k:]).item()
    print(f"epoch {epoch} train {tot / k:.4f} val {v:.4f}")
