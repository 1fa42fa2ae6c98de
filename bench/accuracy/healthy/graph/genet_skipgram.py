# fault: none
# family: graph
# split: held
"""Node embeddings of a road-like community graph: skip-gram, negative sampling, sparse updates."""
import os
import random
import torch
import torch.nn as nn
import torch.nn.functional as F

seed = int(os.environ.get("SEED", 0))
random.seed(seed)
torch.manual_seed(seed)
N, COMM, NEG = 600, 6, 4
group = torch.arange(N) % COMM
neigh = []
for v in range(N):
    mates = [u for u in range(v % COMM, N, COMM) if u != v]
    neigh.append(random.sample(mates, 6) + [random.randrange(N)])


def walks(n, length=5):
    out = []
    for _ in range(n):
        v = random.randrange(N)
        w = [v]
        for _ in range(length):
            v = random.choice(neigh[v])
            w.append(v)
        out += [(w[i], w[j]) for i in range(len(w)) for j in (i - 1, i + 1) if 0 <= j < len(w)]
    return torch.tensor(out)


class SkipGram(nn.Module):
    def __init__(self, d=16):
        super().__init__()
        self.center = nn.Embedding(N, d, sparse=True)
        self.context = nn.Embedding(N, d, sparse=True)
        nn.init.uniform_(self.center.weight, -0.5 / d, 0.5 / d)
        nn.init.zeros_(self.context.weight)

    def forward(self, c, o):
        vc = self.center(c)
        neg = self.context(torch.randint(0, N, (len(c), NEG)))
        pos = (vc * self.context(o)).sum(1)
        return -(F.logsigmoid(pos) + F.logsigmoid(-(neg @ vc.unsqueeze(2)).squeeze(2)).sum(1)).mean()


net = SkipGram()
opt = torch.optim.SparseAdam(list(net.parameters()), lr=0.02)
for step in range(241):
    pairs = walks(24)
    loss = net(pairs[:, 0], pairs[:, 1])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 48 == 0:
        with torch.no_grad():
            e = F.normalize(net.center.weight, dim=1)
            s = e @ e.t() - 2 * torch.eye(N)
            same = (group[s.argmax(1)] == group).float().mean()
        print(f"step {step:4d} loss {loss.item():.3f} nearest neighbour in same community {same:.3f}")
