# fault: not-finite
# cause_class: non-finite, loss, not-updated, structure
# family: metric
# split: held
import os
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)

N_ID, DIM = 24, 40


def make_faces(per_id=30):
    base = torch.randn(N_ID, DIM)
    xs, ys = [], []
    for i in range(N_ID):
        xs.append(base[i] + 0.7 * torch.randn(per_id, DIM))
        ys += [i] * per_id
    return torch.cat(xs), torch.tensor(ys)


class PKSampler:
    def __init__(self, y, p, k):
        self.by = {c: (y == c).nonzero().flatten().tolist() for c in y.unique().tolist()}
        self.p, self.k = p, k

    def draw(self):
        ids = random.sample(list(self.by), self.p)
        return torch.tensor([j for i in ids for j in random.sample(self.by[i], self.k)])


def pairwise(e):
    diff = e.unsqueeze(0) - e.unsqueeze(1)
    return diff.pow(2).sum(-1).sqrt()


class BatchHardTriplet(nn.Module):
    def __init__(self, margin=0.3):
        super().__init__()
        self.margin = margin

    def forward(self, e, y):
        d = pairwise(e)
        same = y[:, None] == y[None]
        pos = (d * same).max(1).values
        neg = (d + 1e3 * same).min(1).values
        spread = d[same].mean()
        return F.relu(pos - neg + self.margin).mean() + 0.01 * spread


net = nn.Sequential(nn.Linear(DIM, 96), nn.ReLU(), nn.Linear(96, 16))
x, y = make_faces()
sampler = PKSampler(y, 8, 4)
crit = BatchHardTriplet()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)

for step in range(300):
    idx = sampler.draw()
    emb = F.normalize(net(x[idx]), dim=1)
    loss = crit(emb, y[idx])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 0 or step == 299:
        print(f"step {step:4d}  triplet {loss.item():.4f}")
