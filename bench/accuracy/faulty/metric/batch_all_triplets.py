# fault: not-finite
# cause_class: non-finite, loss
# family: metric
# split: held
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = int(os.environ.get("SEED", "0"))
torch.manual_seed(SEED)

N_ID, PER_ID, DIM = 24, 30, 40


def make_gallery():
    centers = torch.randn(N_ID, DIM)
    mix = torch.randn(DIM, DIM) / DIM ** 0.5
    x, y = [], []
    for i in range(N_ID):
        x.append(torch.tanh((centers[i] + 0.8 * torch.randn(PER_ID, DIM)) @ mix))
        y += [i] * PER_ID
    return torch.cat(x), torch.tensor(y)


class PKSampler:
    """P identities, K samples of each, as in 'In Defense of the Triplet Loss'."""

    def __init__(self, y, p=8, k=4, n=200):
        self.y, self.p, self.k, self.n = y, p, k, n
        self.by_id = {i: (y == i).nonzero().flatten() for i in y.unique().tolist()}

    def __iter__(self):
        ids = list(self.by_id)
        for _ in range(self.n):
            chosen = torch.randperm(len(ids))[: self.p]
            idx = []
            for c in chosen.tolist():
                pool = self.by_id[ids[c]]
                idx.append(pool[torch.randint(len(pool), (self.k,))])
            yield torch.cat(idx)


def pairwise_distance(e):
    diff = e[:, None, :] - e[None, :, :]
    return diff.pow(2).sum(-1).sqrt()


def batch_all(e, y, margin=0.3):
    d = pairwise_distance(e)
    same = y[:, None] == y[None, :]
    eye = torch.eye(len(y), dtype=torch.bool)
    pos = same & ~eye
    t = d[:, :, None] - d[:, None, :] + margin
    mask = pos[:, :, None] & (~same)[:, None, :]
    t = F.relu(t[mask])
    active = (t > 0).sum()
    return t.sum() / (active + 1)


net = nn.Sequential(nn.Linear(DIM, 96), nn.ReLU(), nn.Linear(96, 64), nn.ReLU(), nn.Linear(64, 16))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
X, Y = make_gallery()

for it, idx in enumerate(PKSampler(Y)):
    e = net(X[idx])
    loss = batch_all(e, Y[idx])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 20 == 0:
        print(f"iter {it:4d}  loss {loss.item():.4f}  |e| {e.norm(dim=1).mean().item():.3f}")

with torch.no_grad():
    e = net(X)
    d = torch.cdist(e, e)
    d.fill_diagonal_(float("inf"))
    print("rank-1:", (Y[d.argmin(1)] == Y).float().mean().item())
