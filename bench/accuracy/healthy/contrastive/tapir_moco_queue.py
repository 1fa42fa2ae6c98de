# fault: none
# family: contrastive
# split: held
"""MoCo: momentum encoder, queue of negatives, InfoNCE."""
import copy
import os

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
D, Q, EMB = 24, 512, 32
BASIS = torch.randn(6, D)


def instances(n):
    return torch.randn(n, 6) @ BASIS


def view(x):
    return x + 0.7 * torch.randn_like(x)


def encoder():
    return nn.Sequential(nn.Linear(D, 64), nn.ReLU(), nn.Linear(64, EMB))


class MoCo(nn.Module):
    def __init__(self, m=0.99, t=0.1):
        super().__init__()
        self.q, self.m, self.t = encoder(), m, t
        self.k = copy.deepcopy(self.q).requires_grad_(False)
        self.register_buffer("queue", F.normalize(torch.randn(Q, EMB), dim=1))
        self.ptr = 0

    @torch.no_grad()
    def keys(self, x):
        for a, b in zip(self.k.parameters(), self.q.parameters()):
            a.mul_(self.m).add_(b, alpha=1 - self.m)
        return F.normalize(self.k(x), dim=1)

    def forward(self, xq, xk):
        q, k = F.normalize(self.q(xq), dim=1), self.keys(xk)
        logits = torch.cat([(q * k).sum(1, keepdim=True), q @ self.queue.clone().T], 1) / self.t
        self.queue[self.ptr:self.ptr + len(k)] = k
        self.ptr = (self.ptr + len(k)) % Q
        return F.cross_entropy(logits, torch.zeros(len(q), dtype=torch.long))


model = MoCo()
opt = torch.optim.SGD(model.q.parameters(), lr=0.06, momentum=0.9, weight_decay=1e-4)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 800)
run = 0.0
for step in range(1, 801):
    x = instances(64)
    loss = model(view(x), view(x))
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    run += loss.item()
    if step % 100 == 0:
        with torch.no_grad():
            x = instances(300)
            a, b = F.normalize(model.q(view(x)), dim=1), F.normalize(model.q(view(x)), dim=1)
            hit = ((a @ b.T).argmax(1) == torch.arange(300)).float().mean().item()
        print(f"{step} loss {run / 100:.3f} instance retrieval {hit:.3f}")
        run = 0.0
