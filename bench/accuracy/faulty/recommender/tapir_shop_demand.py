# fault: nan-in-data
# cause_class: data-loading, data-scaling, non-finite
# family: recommender
# split: held
import os

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SEED = int(os.environ.get("SEED", 0))
np.random.seed(SEED)
torch.manual_seed(SEED)


def make_log(n_users=150, n_items=80, n=6000):
    users = np.random.randint(n_users, size=n)
    items = np.random.randint(n_items, size=n)
    shown = np.random.poisson(6.0, size=n)
    clicks = np.random.binomial(shown, 0.3)
    taste_u, taste_i = np.random.randn(n_users, 4), np.random.randn(n_items, 4)
    score = (taste_u[users] * taste_i[items]).sum(1) * 0.5 + (clicks - 1.8) * 0.4
    bought = (np.random.rand(n) < 1 / (1 + np.exp(-score))).astype(np.float32)
    return users, items, shown, clicks, bought


class Visits(Dataset):
    def __init__(self, users, items, shown, clicks, bought):
        with np.errstate(all="ignore"):
            ctr = clicks / shown
        self.u, self.i = torch.tensor(users), torch.tensor(items)
        feats = np.stack([ctr, np.log1p(shown) - 1.9], 1)
        self.f = torch.tensor(feats, dtype=torch.float32)
        self.y = torch.tensor(bought)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, k):
        return self.u[k], self.i[k], self.f[k], self.y[k]


class WideAndDeep(nn.Module):
    def __init__(self, nu, ni, d=8):
        super().__init__()
        self.u, self.i = nn.Embedding(nu, d), nn.Embedding(ni, d)
        nn.init.normal_(self.u.weight, std=0.1)
        nn.init.normal_(self.i.weight, std=0.1)
        self.deep = nn.Sequential(nn.Linear(2 * d + 2, 32), nn.ReLU(), nn.Linear(32, 1))
        self.wide = nn.Linear(2, 1)

    def forward(self, u, i, f):
        a, b = self.u(u), self.i(i)
        z = self.deep(torch.cat([a, b, f], -1)) + self.wide(f)
        return z.squeeze(-1) + (a * b).sum(-1)


log = make_log()
train = Visits(*[c[:5000] for c in log])
model = WideAndDeep(150, 80)
opt = torch.optim.Adagrad(model.parameters(), lr=0.05)
bce = nn.BCEWithLogitsLoss()
for epoch in range(4):
    model.train()
    losses = []
    for u, i, f, y in DataLoader(train, batch_size=100, shuffle=True):
        opt.zero_grad()
        loss = bce(model(u, i, f), y)
        loss.backward()
        opt.step()
        losses.append(loss.item())
    print("epoch", epoch, "logloss", round(float(np.mean(losses)), 4))
