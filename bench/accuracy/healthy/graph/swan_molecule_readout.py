# fault: none
# family: graph
# split: held
# message passing on random "molecules"; batch size 1 graph at a time, gradients summed over 16 graphs
import os
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

seed = int(os.environ.get("SEED", "0"))
random.seed(seed)
torch.manual_seed(seed)

ATOMS = 4
electro = torch.tensor([0.3, -0.5, 1.0, -1.2])


def molecule():
    n = random.randint(4, 10)
    types = torch.randint(0, ATOMS, (n,))
    src, dst = [], []
    for i in range(1, n):
        j = random.randrange(max(0, i - 3), i)
        src += [i, j]
        dst += [j, i]
    e = torch.tensor([src, dst])
    y = 0.5 * (electro[types[e[0]]] * electro[types[e[1]]]).sum() / 2 + 0.2 * (types == 2).sum() - 0.4
    return types, e, y


class Layer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.msg = nn.Sequential(nn.Linear(2 * d, d), nn.SiLU())
        self.upd = nn.GRUCell(d, d)

    def forward(self, h, e):
        m = self.msg(torch.cat([h[e[0]], h[e[1]]], 1))
        agg = torch.zeros_like(h).index_add(0, e[1], m)
        return self.upd(agg, h)


class MPNN(nn.Module):
    def __init__(self, d=24, layers=2):
        super().__init__()
        self.emb = nn.Embedding(ATOMS, d)
        self.layers = nn.ModuleList(Layer(d) for _ in range(layers))
        self.out = nn.Sequential(nn.Linear(d, d), nn.SiLU(), nn.Linear(d, 1))

    def forward(self, types, e):
        h = self.emb(types)
        for l in self.layers:
            h = l(h, e)
        return self.out(h).sum()


train = [molecule() for _ in range(240)]
test = [molecule() for _ in range(80)]
net = MPNN()
opt = torch.optim.Adam(net.parameters(), lr=4e-3)
accumulate = 12
for epoch in range(6):
    random.shuffle(train)
    tot = 0.0
    for i, (t, e, y) in enumerate(train):
        loss = F.smooth_l1_loss(net(t, e), y)
        (loss / accumulate).backward()
        tot += loss.item() / len(train)
        if (i + 1) % accumulate == 0:
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            opt.step()
            opt.zero_grad()
    with torch.no_grad():
        mae = sum((net(t, e) - y).abs().item() for t, e, y in test) / len(test)
    print(f"epoch {epoch} huber {tot:.4f} test mae {mae:.4f}")
print("mean-predictor mae", torch.stack([m[2] for m in test]).sub(torch.stack([m[2] for m in train]).mean()).abs().mean().item())
