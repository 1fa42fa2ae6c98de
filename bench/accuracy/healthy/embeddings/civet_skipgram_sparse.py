# fault: none
# family: embeddings
# split: held
"""Item2vec on shopping baskets: negative sampling, sparse gradients, big step sizes.

The summed loss is around a thousand per batch, that is normal (batch 256, 5 negatives each).
"""
import os
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

seed = int(os.environ.get("SEED", 0))
rng = np.random.default_rng(seed)
torch.manual_seed(seed)
ITEMS, AISLES, BASKETS = 400, 20, 6000
aisle = np.arange(ITEMS) % AISLES
members = [np.flatnonzero(aisle == a) for a in range(AISLES)]
pairs = []
for _ in range(BASKETS):
    a, b = rng.integers(AISLES, size=2)
    basket = np.concatenate([rng.choice(members[a], 4, replace=False), rng.choice(members[b], 2, replace=False), rng.integers(ITEMS, size=1)])
    for i in basket:
        j = rng.choice(basket)
        if i != j:
            pairs.append((i, j))
pairs = torch.tensor(np.array(pairs))
counts = torch.bincount(pairs[:, 1], minlength=ITEMS).float() ** 0.75


class SkipGram(nn.Module):
    def __init__(self, n, d):
        super().__init__()
        self.inp = nn.Embedding(n, d, sparse=True)
        self.out = nn.Embedding(n, d, sparse=True)
        nn.init.uniform_(self.inp.weight, -0.5 / d, 0.5 / d)
        nn.init.zeros_(self.out.weight)          # as in word2vec.c

    def forward(self, i, j, neg):
        e = self.inp(i)
        pos = (e * self.out(j)).sum(-1)
        bad = torch.einsum("bd,bkd->bk", e, self.out(neg))
        return -(F.logsigmoid(pos).sum() + F.logsigmoid(-bad).sum())


@torch.no_grad()
def same_aisle(model, k=5):
    w = F.normalize(model.inp.weight, dim=1)
    s = w @ w.T
    s.fill_diagonal_(-2)
    nn_idx = s.topk(k, 1).indices
    a = torch.tensor(aisle)
    return (a[nn_idx] == a[:, None]).float().mean().item()


model = SkipGram(ITEMS, 24)
opt = torch.optim.SparseAdam(list(model.parameters()), lr=0.02)
print(f"start: neighbours from the same aisle {same_aisle(model):.3f}")
for epoch in range(8):
    tot = 0.0
    for b in torch.randperm(len(pairs)).split(256):
        i, j = pairs[b].T
        neg = torch.multinomial(counts, len(b) * 5, replacement=True).view(-1, 5)
        loss = model(i, j, neg)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    print(f"epoch {epoch}: loss {tot / (len(pairs) / 256):.1f} per batch, same aisle {same_aisle(model):.3f}")
