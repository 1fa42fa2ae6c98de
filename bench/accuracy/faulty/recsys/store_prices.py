# fault: nan-in-data
# cause_class: non-finite, data-loading
# family: recsys
# split: held
# twin: healthy/recsys/store_prices.py
import os
import random

import numpy as np
import torch
from torch import nn

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED); np.random.seed(SEED); torch.manual_seed(SEED)

N_USERS, N_ITEMS, N = 150, 90, 9000
rng = np.random.default_rng(SEED)
price = rng.lognormal(2.0, 0.6, N_ITEMS)
taste = rng.normal(size=(N_USERS, 3)); kind = rng.normal(size=(N_ITEMS, 3))
budget = rng.normal(size=N_USERS)
u = rng.integers(0, N_USERS, N); i = rng.integers(0, N_ITEMS, N)
logp = (np.log(price) - 2.0) / 0.6
score = (taste[u] * kind[i]).sum(1) + 1.5 * budget[u] * logp[i] + 0.3 * rng.normal(size=N)
bought = (score > 0).astype(np.float32)
listed = logp.copy()
listed[rng.choice(N_ITEMS, 4, replace=False)] = np.nan     # not in the price list
feature = listed

class Net(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.users = nn.Embedding(N_USERS, d)
        self.items = nn.Embedding(N_ITEMS, d)
        nn.init.normal_(self.users.weight, std=0.3); nn.init.normal_(self.items.weight, std=0.3)
        self.slope = nn.Embedding(N_USERS, 1)
        self.bias = nn.Parameter(torch.zeros(1))
    def forward(self, u, i, p):
        return (self.users(u) * self.items(i)).sum(1) + self.slope(u)[:, 0] * p + self.bias

u, i = torch.as_tensor(u), torch.as_tensor(i)
p = torch.as_tensor(feature, dtype=torch.float32)[i]
t = torch.as_tensor(bought)
n_train = 7500
model = Net()
opt = torch.optim.AdamW(model.parameters(), lr=0.02, weight_decay=0.02)
crit = nn.BCEWithLogitsLoss()
for epoch in range(6):
    perm = torch.randperm(n_train)
    tot = 0
    for b in perm.split(100):
        opt.zero_grad()
        l = crit(model(u[b], i[b], p[b]), t[b])
        l.backward()
        opt.step()
        tot += l.item() * len(b)
    with torch.no_grad():
        z = model(u[n_train:], i[n_train:], p[n_train:])
        print('epoch', epoch, 'train', round(tot / n_train, 4), 'test', round(crit(z, t[n_train:]).item(), 4),
              'acc', round(((z > 0) == (t[n_train:] > 0.5)).float().mean().item(), 4))
