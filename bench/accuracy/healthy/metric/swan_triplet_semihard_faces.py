# fault: none
# family: metric
# split: held
# triplet learning with an in-batch miner; the hinge goes to zero for most batches
import os
from itertools import islice

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, Sampler

torch.manual_seed(int(os.environ.get("SEED", "0")))
IDS, PER, DIM = 24, 16, 32


class Faces(Dataset):
    def __init__(self):
        ident, pose = torch.randn(IDS, DIM), torch.randn(5, DIM)
        self.y = torch.arange(IDS).repeat_interleave(PER)
        n = len(self.y)
        self.x = (ident[self.y] + 0.7 * torch.randn(n, 5) @ pose + 0.4 * torch.randn(n, DIM)) / 2

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class PKSampler(Sampler):
    def __init__(self, p, k, batches):
        self.p, self.k, self.batches = p, k, batches

    def __len__(self):
        return self.batches

    def __iter__(self):
        for _ in range(self.batches):
            ids = torch.randperm(IDS)[:self.p]
            # the last four pictures of everyone are kept for the evaluation
            yield [int(i) * PER + int(j) for i in ids for j in torch.randperm(PER - 4)[:self.k]]


class Triplet(nn.Module):
    def __init__(self, margin):
        super().__init__()
        self.margin = margin

    def forward(self, e, y):
        d = (2 - 2 * e @ e.T).clamp_min(0)  # squared distances on the sphere
        same = y[:, None] == y[None]
        pos = same & ~torch.eye(len(y), dtype=torch.bool)
        a, p = pos.nonzero(as_tuple=True)
        neg = d[a].masked_fill(same[a], 9.0).min(1).values
        hinge = F.relu(d[a, p] - neg + self.margin)
        return hinge.mean(), (hinge > 0).float().mean()


data = Faces()
loader = DataLoader(data, batch_sampler=PKSampler(8, 4, 400))
gallery = torch.tensor([i for i in range(len(data)) if i % PER < PER - 4])
probe = torch.tensor([i for i in range(len(data)) if i % PER >= PER - 4])
net = nn.Sequential(nn.Linear(DIM, 64), nn.ReLU(), nn.Linear(64, 16))
loss_fn, opt = Triplet(0.2), torch.optim.Adam(net.parameters(), lr=1e-3)
for it, (x, y) in enumerate(islice(loader, 400)):
    loss, active = loss_fn(F.normalize(net(x), dim=1), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 40 == 0 or it == 399:
        with torch.no_grad():
            e = F.normalize(net(data.x), dim=1)
            nearest = gallery[(e[probe] @ e[gallery].T).argmax(1)]
            r1 = (data.y[nearest] == data.y[probe]).float().mean()
        print(f"{it} loss {loss.item():.4f} active {active:.3f} rank-1 {r1:.3f}")
