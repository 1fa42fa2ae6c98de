# fault: none
# family: contrastive
# split: held
import copy
import math
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))


class MoCo(nn.Module):
    def __init__(self, base, dim, K=512, m=0.98, T=0.2):
        super().__init__()
        self.q, self.k = base, copy.deepcopy(base)
        for p in self.k.parameters():
            p.requires_grad = False
        self.m, self.T = m, T
        self.register_buffer("queue", F.normalize(torch.randn(K, dim), dim=1))
        self.ptr = 0

    @torch.no_grad()
    def momentum_update(self):
        for a, b in zip(self.q.parameters(), self.k.parameters()):
            b.mul_(self.m).add_(a, alpha=1 - self.m)

    def forward(self, xq, xk):
        q = F.normalize(self.q(xq), dim=1)
        with torch.no_grad():
            self.momentum_update()
            k = F.normalize(self.k(xk), dim=1)
        logits = torch.cat([(q * k).sum(1, keepdim=True), q @ self.queue.clone().t()], 1) / self.T
        loss = F.cross_entropy(logits, torch.zeros(len(q), dtype=torch.long))
        self.queue[self.ptr:self.ptr + len(k)] = k
        self.ptr = (self.ptr + len(k)) % len(self.queue)
        return loss, (logits.argmax(1) == 0).float().mean().item()


def scenes(n):
    z = torch.randn(n, 8)
    return torch.tanh(z @ W) * 1.5


W = torch.randn(8, 40) / 2.0
base = nn.Sequential(nn.Linear(40, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU(), nn.Linear(96, 24))
model = MoCo(base, 24)
opt = torch.optim.SGD(model.q.parameters(), lr=0.06, momentum=0.9, weight_decay=1e-4)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 700)
data = scenes(4096)
print("log(K+1)", round(math.log(513), 3))
for step in range(1, 701):
    x = data[torch.randint(0, 4096, (64,))]
    loss, acc = model(x + 0.5 * torch.randn_like(x), x + 0.5 * torch.randn_like(x))
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if step % 100 == 0 or step == 1:
        print(f"{step} loss {loss.item():.4f} acc {acc:.3f}")
