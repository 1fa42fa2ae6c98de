# fault: none
# family: metric
# split: tune
# needs: sklearn
"""Triplet loss on digits; many triplets satisfy the margin soon and the loss is often 0."""
import os
import torch
from torch import nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(int(os.environ.get("SEED", 0)))
d = load_digits()
x = torch.tensor(d.data, dtype=torch.float32) / 8 - 1
y = torch.tensor(d.target)
p = torch.randperm(len(x))
xtr, ytr, xte, yte = x[p[:1300]], y[p[:1300]], x[p[1300:]], y[p[1300:]]
by_class = [torch.where(ytr == c)[0] for c in range(10)]


def triplets(n):
    a_cls = torch.randint(0, 10, (n,))
    n_cls = (a_cls + torch.randint(1, 10, (n,))) % 10
    pick = lambda c: by_class[c][torch.randint(0, len(by_class[c]), (1,))]
    a = torch.cat([pick(c) for c in a_cls.tolist()])
    q = torch.cat([pick(c) for c in a_cls.tolist()])
    m = torch.cat([pick(c) for c in n_cls.tolist()])
    return xtr[a], xtr[q], xtr[m]


class Embedder(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 12))

    def forward(self, x):
        return F.normalize(self.net(x), dim=1)


emb = Embedder()
crit = nn.TripletMarginLoss(margin=0.3)
opt = torch.optim.Adam(emb.parameters(), lr=1e-3)
for step in range(1, 401):
    a, q, m = triplets(32)
    loss = crit(emb(a), emb(q), emb(m))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 0:
        with torch.no_grad():
            acc = (ytr[(emb(xte) @ emb(xtr).T).argmax(1)] == yte).float().mean()
        print(f"step {step} loss {loss.item():.4f} 1-NN {acc:.3f}")
