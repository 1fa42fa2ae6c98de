# fault: layers-not-registered
# cause_class: not-updated, structure
# family: graph
# split: held
"""GIN-style network on random 'molecules': does the graph hold a ring of carbon?  No PyG here, padded dense adjacency."""
import os
import random
import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)
MAXN, ELEMENTS = 14, 4


def molecule():
    n = random.randint(8, MAXN)
    adj = torch.zeros(MAXN, MAXN)
    for i in range(1, n):                                   # random tree
        j = random.randrange(max(0, i - 3), i)
        adj[i, j] = adj[j, i] = 1
    kind = [random.randrange(ELEMENTS) for _ in range(n)]
    # property: number of bonds between the hetero atom 3 and atom 1, minus bonds 0-2
    score = 0
    for i in range(n):
        for j in range(i):
            if adj[i, j]:
                pair = {kind[i], kind[j]}
                score += (pair == {1, 3}) - (pair == {0, 2})
    x = torch.zeros(MAXN, ELEMENTS)
    x[torch.arange(n), torch.tensor(kind)] = 1
    mask = torch.zeros(MAXN)
    mask[:n] = 1
    return x, adj, mask, float(score)


def dataset(n):
    xs, As, ms, ys = zip(*[molecule() for _ in range(n)])
    return torch.stack(xs), torch.stack(As), torch.stack(ms), torch.tensor(ys)


class GINLayer(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.eps = nn.Parameter(torch.zeros(1))
        self.mlp = nn.Sequential(nn.Linear(i, o), nn.ReLU(), nn.Linear(o, o))

    def forward(self, x, a):
        return F.relu(self.mlp((1 + self.eps) * x + a @ x))


class MolNet(nn.Module):
    def __init__(self, width=8, depth=3):
        super().__init__()
        self.embed = nn.Linear(ELEMENTS, width)
        self.convs = [GINLayer(width, width) for _ in range(depth)]
        self.readout = nn.Linear(width * (depth + 1), 1)

    def forward(self, x, a, m):
        h = self.embed(x)
        outs = [(h * m[..., None]).sum(1)]
        for conv in self.convs:
            h = conv(h, a) * m[..., None]
            outs.append(h.sum(1))
        return self.readout(torch.cat(outs, 1)).squeeze(1)


tr, te = dataset(1000), dataset(200)
model = MolNet()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.5, patience=3)
var = te[3].var().item()
for epoch in range(14):
    model.train()
    order = torch.randperm(len(tr[3]))
    for i in range(0, len(order), 50):
        x, a, m, y = [t[order[i:i + 50]] for t in tr]
        loss = F.mse_loss(model(x, a, m), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        val = F.mse_loss(model(*te[:3]), te[3]).item()
    plateau.step(val)
    if epoch % 3 == 1:
        print(f"epoch {epoch:2d}  train mse {loss.item():.3f}  test mse {val:.3f}  R2 {1 - val / var:.3f}  lr {opt.param_groups[0]['lr']:.4f}")
