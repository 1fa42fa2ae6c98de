# fault: none
# family: recommender
# split: held
# set: badger, unseen
# metric: rmse lower
# baseline: 1.03
# reaches: 0.7
# Unusual: sparse embedding gradients with SparseAdam, biases with plain SGD at rate 4 and no momentum; in any one step most rows get no gradient at all.
import os

import numpy as np
import torch
from torch import nn

torch.set_num_threads(1)
seed = int(os.environ.get("SEED", 0))
rng = np.random.default_rng(seed)
torch.manual_seed(seed)
USERS, ITEMS, RANK, RATINGS = 1500, 600, 3, 60_000

pu, qi = rng.normal(size=(USERS, RANK)), rng.normal(size=(ITEMS, RANK))
bu, bi = 0.4 * rng.normal(size=USERS), 0.5 * rng.normal(size=ITEMS)
pop = 1 / np.arange(1, ITEMS + 1) ** 0.6
u = rng.integers(0, USERS, RATINGS)
i = rng.choice(ITEMS, RATINGS, p=pop / pop.sum())
stars = 3.4 + bu[u] + bi[i] + 0.5 * (pu[u] * qi[i]).sum(1) + 0.45 * rng.normal(size=RATINGS)
stars = np.clip(stars, 0.5, 5.0)
u, i = torch.from_numpy(u), torch.from_numpy(i)
r = torch.tensor(stars, dtype=torch.float32)
cut = int(0.9 * RATINGS)


class Factors(nn.Module):
    def __init__(self, k, mean):
        super().__init__()
        self.mean = mean
        self.p = nn.Embedding(USERS, k, sparse=True)
        self.q = nn.Embedding(ITEMS, k, sparse=True)
        self.bu = nn.Parameter(torch.zeros(USERS))
        self.bi = nn.Parameter(torch.zeros(ITEMS))
        nn.init.normal_(self.p.weight, std=0.1)
        nn.init.normal_(self.q.weight, std=0.1)

    def forward(self, u, i):
        return self.mean + self.bu[u] + self.bi[i] + (self.p(u) * self.q(i)).sum(1)


net = Factors(RANK + 1, r[:cut].mean().item())
sparse = torch.optim.SparseAdam([net.p.weight, net.q.weight], lr=1.6e-2)
dense = torch.optim.SGD([net.bu, net.bi], lr=4.0)
B = 256


def rmse():
    with torch.no_grad():
        return (net(u[cut:], i[cut:]).clamp(0.5, 5) - r[cut:]).square().mean().sqrt().item()


for epoch in range(4):
    total, n = 0.0, 0
    for idx in torch.randperm(cut).split(B):
        e = net(u[idx], i[idx]) - r[idx]
        reg = 0.02 * (net.p(u[idx]).square().sum(1) + net.q(i[idx]).square().sum(1)).mean()
        mse = e.square().mean()
        sparse.zero_grad()
        dense.zero_grad()
        (mse + reg).backward()
        sparse.step()
        dense.step()
        total += mse.item()
        n += 1
    print(f"epoch {epoch} steps {n} mse {total / n:.4f} held rmse {rmse():.4f}")

print("mean rating:", round((r[cut:] - r[:cut].mean()).square().mean().sqrt().item(), 4))
print(f"result: rmse {rmse():.4f}")
