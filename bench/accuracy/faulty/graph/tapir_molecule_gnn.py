# fault: broadcast-targets
# cause_class: labels, loss
# family: graph
# split: held
import os
import random

import torch
import torch.nn as nn

seed = int(os.environ.get("SEED", 0))
random.seed(seed)
torch.manual_seed(seed)


def random_molecule():
    n = random.randint(5, 10)
    atoms = torch.randint(0, 4, (n,))
    src, dst = [], []
    for i in range(1, n):
        j = random.randrange(i)
        src += [i, j]
        dst += [j, i]
    weights = torch.tensor([0.2, -0.4, 0.9, -0.1])
    bonds = weights[atoms[src]] * weights[atoms[dst]]
    y = weights[atoms].sum() + 1.5 * bonds.sum() / 2
    return {"x": atoms, "edge": torch.tensor([src, dst]), "y": y.item()}


def collate(graphs):
    x, e, batch, off = [], [], [], 0
    for k, g in enumerate(graphs):
        x.append(g["x"])
        e.append(g["edge"] + off)
        batch.append(torch.full((len(g["x"]),), k))
        off += len(g["x"])
    y = torch.tensor([g["y"] for g in graphs])
    return torch.cat(x), torch.cat(e, 1), torch.cat(batch), y


class Conv(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.msg, self.upd = nn.Linear(2 * d, d), nn.Linear(2 * d, d)

    def forward(self, h, edge):
        m = torch.relu(self.msg(torch.cat([h[edge[0]], h[edge[1]]], 1)))
        agg = torch.zeros_like(h).index_add_(0, edge[1], m)
        return h + torch.relu(self.upd(torch.cat([h, agg], 1)))


class MPNN(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.emb = nn.Embedding(4, d)
        self.convs = nn.ModuleList([Conv(d), Conv(d)])
        self.readout = nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, 1))

    def forward(self, x, edge, batch):
        h = self.emb(x)
        for c in self.convs:
            h = c(h, edge)
        pooled = torch.zeros(int(batch.max()) + 1, h.shape[1]).index_add_(0, batch, h)
        return self.readout(pooled)


graphs = [random_molecule() for _ in range(1000)]
ys = torch.tensor([g["y"] for g in graphs])
for g in graphs:
    g["y"] = (g["y"] - ys.mean().item()) / ys.std().item()
train, val = graphs[:850], graphs[850:]

model = MPNN()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
mae = nn.SmoothL1Loss()
for epoch in range(14):
    random.shuffle(train)
    model.train()
    tot = 0
    for i in range(0, len(train) - 33, 34):
        x, e, b, y = collate(train[i:i + 34])
        loss = mae(model(x, e, b), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    model.eval()
    with torch.no_grad():
        x, e, b, y = collate(val)
        pred = model(x, e, b)[:, 0]
        r2 = 1 - (pred - y).pow(2).mean() / y.var()
    print(f"epoch {epoch}: loss {tot / 25:.4f}  val R2 {r2:.3f}")
