# fault: init-equal
# cause_class: initialisation
# family: graph
# split: held
import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)
ATOMS, NODES = 5, 10


def molecules(n):
    """Random small graphs; the class is which of four motifs of atom pairs are most often bonded."""
    y = torch.randint(0, 4, (n,))
    kind = torch.randint(0, ATOMS, (n, NODES))
    # two kinds of atoms are favoured by every class
    fav = torch.stack([y, (y + 1) % 4], 1)
    pick = torch.rand(n, NODES)
    kind = torch.where(pick < 0.3, fav[:, :1], torch.where(pick < 0.45, fav[:, 1:], kind))
    up = torch.triu((torch.rand(n, NODES, NODES) < 0.25).float(), 1)
    a = up + up.transpose(1, 2) + torch.eye(NODES)
    s = a.sum(-1).rsqrt()
    return F.one_hot(kind, ATOMS).float(), s[:, :, None] * a * s[:, None, :], y


class GraphConv(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(i, o))
        self.bias = nn.Parameter(torch.empty(o))
        self.reset_parameters()

    def reset_parameters(self):
        bound = self.weight.shape[0] ** -0.5
        nn.init.constant_(self.weight, bound)
        nn.init.zeros_(self.bias)

    def forward(self, a, h):
        return a @ (h @ self.weight) + self.bias


class GCN(nn.Module):
    def __init__(self, width=32, classes=4):
        super().__init__()
        self.c1, self.c2 = GraphConv(ATOMS, width), GraphConv(width, width)
        self.out = nn.Linear(width, classes)

    def forward(self, x, a):
        h = F.relu(self.c1(a, x))
        h = F.relu(self.c2(a, h))
        return self.out(h.mean(1))


train = DataLoader(TensorDataset(*molecules(1600)), 32, shuffle=True)
vx, va, vy = molecules(400)
model = GCN()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(12):
    model.train()
    total = 0.0
    for x, a, y in train:
        loss = F.cross_entropy(model(x, a), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    model.eval()
    with torch.no_grad():
        acc = (model(vx, va).argmax(1) == vy).float().mean().item()
    print(f"epoch {epoch:2d} loss {total / len(train):.4f} val acc {acc:.3f}")
