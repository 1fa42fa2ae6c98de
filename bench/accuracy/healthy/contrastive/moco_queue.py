# fault: none
# family: contrastive
# split: tune
import copy
import math
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
DIM, QUEUE, T, M, BATCH = 32, 512, 0.2, 0.98, 64
protos = torch.randn(20, 24)


def raw(n):
    c = torch.randint(0, 20, (n,))
    return protos[c] + 0.5 * torch.randn(n, 24), c


def augment(x):
    keep = (torch.rand_like(x) > 0.2).float()
    return x * keep + 0.2 * torch.randn_like(x)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(24, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.proj = nn.Linear(64, DIM)

    def forward(self, x):
        return F.normalize(self.proj(self.backbone(x)), dim=1)


query = Encoder()
key = copy.deepcopy(query)
for p in key.parameters():
    p.requires_grad_(False)
queue = F.normalize(torch.randn(QUEUE, DIM), dim=1)
ptr = 0
opt = torch.optim.SGD(query.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
print("log of candidates", round(math.log(QUEUE + 1), 3))
for it in range(600):
    x, _ = raw(BATCH)
    q = query(augment(x))
    with torch.no_grad():
        for pk, pq in zip(key.parameters(), query.parameters()):
            pk.mul_(M).add_(pq, alpha=1 - M)
        k = key(augment(x))
    pos = (q * k).sum(1, keepdim=True)
    neg = q @ queue.t()
    loss = F.cross_entropy(torch.cat([pos, neg], 1) / T, torch.zeros(BATCH, dtype=torch.long))
    opt.zero_grad()
    loss.backward()
    opt.step()
    queue[ptr:ptr + BATCH] = k
    ptr = (ptr + BATCH) % QUEUE
    if it % 60 == 59:
        print(it + 1, round(loss.item(), 4))

# a nearest-neighbour probe
with torch.no_grad():
    xa, ca = raw(800)
    xb, cb = raw(200)
    fa, fb = query.backbone(xa), query.backbone(xb)
    fa, fb = F.normalize(fa, dim=1), F.normalize(fb, dim=1)
    print("1-nn accuracy", (ca[(fb @ fa.t()).argmax(1)] == cb).float().mean().item())
