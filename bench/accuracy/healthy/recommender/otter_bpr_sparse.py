# fault: none
# family: recommender
# split: held
import os
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class BprConfig:
    users: int = 400
    items: int = 500
    dim: int = 12
    lr: float = 0.02
    l2: float = 0.02
    batch: int = 256
    steps: int = 900


class Factors(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.u = nn.Embedding(c.users, c.dim, sparse=True)
        self.i = nn.Embedding(c.items, c.dim, sparse=True)
        self.pop = nn.Embedding(c.items, 1, sparse=True)
        nn.init.normal_(self.u.weight, std=0.1)
        nn.init.normal_(self.i.weight, std=0.1)
        nn.init.zeros_(self.pop.weight)

    def forward(self, u, i):
        return (self.u(u) * self.i(i)).sum(-1) + self.pop(i)[:, 0]


class Plays:
    """Implicit feedback: users take part in one of eight scenes, items are popular to a varying degree."""

    def __init__(self, c, n=24000):
        self.c = c
        taste, scene = torch.randint(0, 8, (c.users,)), torch.randint(0, 8, (c.items,))
        pop = torch.rand(c.items) ** 2 + 0.05
        w = pop * (0.15 + 3 * (taste[:, None] == scene[None]).float())
        self.u = torch.randint(0, c.users, (n,))
        self.i = torch.multinomial(w[self.u], 1)[:, 0]
        self.cut = int(0.9 * n)

    def batch(self):
        k = torch.randint(0, self.cut, (self.c.batch,))
        return self.u[k], self.i[k], torch.randint(0, self.c.items, (self.c.batch,))

    def held_out(self):
        u, i = self.u[self.cut:], self.i[self.cut:]
        return u, i, torch.randint(0, self.c.items, (len(u),))


def main(c=BprConfig()):
    torch.manual_seed(int(os.environ.get("SEED", 0)))
    data, model = Plays(c), Factors(c)
    opt = torch.optim.SparseAdam(list(model.parameters()), lr=c.lr)
    run = 0.0
    for it in range(1, c.steps + 1):
        u, p, n = data.batch()
        reg = model.u(u).pow(2).sum() + model.i(p).pow(2).sum() + model.i(n).pow(2).sum()
        loss = -F.logsigmoid(model(u, p) - model(u, n)).sum() + c.l2 * reg
        opt.zero_grad()
        loss.backward()
        opt.step()
        run += loss.item()
        if it % 100 == 0:
            with torch.no_grad():
                u, p, n = data.held_out()
                auc = (model(u, p) > model(u, n)).float().mean().item()
            print(f"{it:4d} summed loss {run / 100:.2f} pairs in order {auc:.3f}")
            run = 0.0


main()
