# fault: none
# family: selfsup
# split: tune
"""Momentum contrast with a queue of keys; the loss jumps up while the queue fills with better keys."""
import copy
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
D, Q, TAU, M = 16, 512, 0.2, 0.99
protos = torch.randn(12, 32)


def draw(n):
    y = torch.randint(0, 12, (n,))
    return protos[y] + 0.7 * torch.randn(n, 32), y


def augment(x):
    return x * (0.8 + 0.4 * torch.rand(len(x), 1)) + 0.3 * torch.randn_like(x)


class MoCo(nn.Module):
    def __init__(self):
        super().__init__()
        self.q = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, D))
        self.k = copy.deepcopy(self.q)
        for p in self.k.parameters():
            p.requires_grad = False
        self.register_buffer("queue", F.normalize(torch.randn(Q, D), dim=1))
        self.ptr = 0

    def forward(self, a, b):
        q = F.normalize(self.q(a), dim=1)
        with torch.no_grad():
            for pk, pq in zip(self.k.parameters(), self.q.parameters()):
                pk.mul_(M).add_(pq, alpha=1 - M)
            k = F.normalize(self.k(b), dim=1)
        logits = torch.cat([(q * k).sum(1, keepdim=True), q @ self.queue.clone().T], 1) / TAU
        with torch.no_grad():
            self.queue[self.ptr:self.ptr + len(k)] = k
            self.ptr = (self.ptr + len(k)) % Q
        return F.cross_entropy(logits, torch.zeros(len(q), dtype=torch.long))


moco = MoCo()
opt = torch.optim.SGD(moco.q.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
bank, yb = draw(800)
test, yt = draw(300)
for step in range(401):
    x, _ = draw(64)
    loss = moco(augment(x), augment(x))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 0:
        with torch.no_grad():
            f, g = F.normalize(moco.q(test), dim=1), F.normalize(moco.q(bank), dim=1)
        print(f"{step} loss {loss.item():.4f} 1-NN {(yb[(f @ g.T).argmax(1)] == yt).float().mean():.3f}")
