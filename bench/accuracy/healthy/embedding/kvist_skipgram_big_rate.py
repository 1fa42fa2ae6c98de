# fault: none
# family: embedding
# split: held
"""Skip-gram with negative sampling; mean over the batch and plain SGD, so the rate is that of one word's rows."""
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
V, GROUPS, D, BATCH = 240, 12, 16, 256
group = torch.arange(V) % GROUPS


def pairs(n):
    c = torch.randint(0, V, (n,))
    same = torch.rand(n) < 0.8
    other = group[c] + GROUPS * torch.randint(0, V // GROUPS, (n,))
    return c, torch.where(same, other, torch.randint(0, V, (n,)))


class SkipGram(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp, self.out = nn.Embedding(V, D), nn.Embedding(V, D)
        nn.init.normal_(self.inp.weight, std=0.3)
        nn.init.normal_(self.out.weight, std=0.3)

    def forward(self, c, o, neg):
        e = self.inp(c)
        good = F.logsigmoid((e * self.out(o)).sum(1))
        bad = F.logsigmoid(-(self.out(neg) @ e.unsqueeze(2)).squeeze(2)).sum(1)
        return -(good + bad).mean()


model = SkipGram()
opt = torch.optim.SGD(model.parameters(), lr=25.0)
sched = torch.optim.lr_scheduler.LinearLR(opt, 1.0, 0.05, 1000)
for step in range(1, 1001):
    c, o = pairs(BATCH)
    loss = model(c, o, torch.randint(0, V, (BATCH, 4)))
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if step % 125 == 0 or step == 1:
        with torch.no_grad():
            e = F.normalize(model.inp.weight, dim=1)
            sim = e @ e.t() - 2 * torch.eye(V)
            pure = (group[sim.argmax(1)] == group).float().mean().item()
        print(f"{step} loss {loss.item():.4f} nearest word of the same group {pure:.3f}")
