# fault: none
# family: recsys
# split: tune
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
USERS, ITEMS, K = 400, 600, 8

# taste vectors nobody sees
tu, ti = torch.randn(USERS, 4), torch.randn(ITEMS, 4)
affinity = tu @ ti.t()
liked = affinity.topk(40, dim=1).indices
perm = torch.rand(USERS, 40).argsort(1)
liked = liked.gather(1, perm)
train_pos, test_pos = liked[:, :32], liked[:, 32:]


class BPR(nn.Module):
    def __init__(self):
        super().__init__()
        self.user = nn.Embedding(USERS, K, sparse=True)
        self.item = nn.Embedding(ITEMS, K, sparse=True)
        nn.init.normal_(self.user.weight, std=0.1)
        nn.init.normal_(self.item.weight, std=0.1)

    def forward(self, u, i):
        return (self.user(u) * self.item(i)).sum(-1)


model = BPR()
opt = torch.optim.SparseAdam(list(model.parameters()), lr=0.02)


def auc():
    with torch.no_grad():
        s = model.user.weight @ model.item.weight.t()
        pos = s.gather(1, test_pos)
        rnd = torch.randint(0, ITEMS, (USERS, 8))
        return (pos > s.gather(1, rnd)).float().mean().item()


for epoch in range(12):
    u = torch.arange(USERS).repeat_interleave(32)
    p = train_pos.reshape(-1)
    order = torch.randperm(len(u))
    total = 0.0
    for idx in order.split(256):
        neg = torch.randint(0, ITEMS, (len(idx),))
        margin = model(u[idx], p[idx]) - model(u[idx], neg)
        loss = F.softplus(-margin).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(idx)
    print(f"epoch {epoch} bpr {total / len(u):.4f} auc {auc():.3f}")
