# fault: none
# family: wordvec
# split: tune
"""Skip-gram with negative sampling on a made language of word groups; sparse gradients, plain SGD with a high rate."""
import os
import random
import torch
from torch import nn
import torch.nn.functional as F

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)
GROUPS, PER = 8, 12
V = GROUPS * PER

corpus, topic = [], 0
for _ in range(12000):
    if random.random() < 0.08:
        topic = random.randrange(GROUPS)
    corpus.append(topic * PER + random.randrange(PER) if random.random() < 0.85 else random.randrange(V))
pairs = torch.tensor([(corpus[i], corpus[i + o]) for i in range(2, len(corpus) - 2) for o in (-2, -1, 1, 2)])


class SkipGram(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.centre = nn.Embedding(V, dim, sparse=True)
        self.context = nn.Embedding(V, dim, sparse=True)
        nn.init.uniform_(self.centre.weight, -0.5 / dim, 0.5 / dim)
        nn.init.zeros_(self.context.weight)

    def forward(self, c, o, neg):
        e = self.centre(c)
        pos = F.logsigmoid((e * self.context(o)).sum(1))
        n = F.logsigmoid(-torch.bmm(self.context(neg), e[:, :, None]).squeeze(2)).sum(1)
        return -(pos + n).mean()


model = SkipGram()
opt = torch.optim.SGD(model.parameters(), lr=10.0)
step = 0
for epoch in range(4):
    s, n = 0.0, 0
    for idx in torch.randperm(len(pairs)).split(256):
        b = pairs[idx]
        loss = model(b[:, 0], b[:, 1], torch.randint(0, V, (len(b), 5)))
        opt.zero_grad()
        loss.backward()
        opt.step()
        s, n = s + loss.item(), n + 1
    with torch.no_grad():
        e = F.normalize(model.centre.weight, dim=1)
        sim = e @ e.T - 2 * torch.eye(V)
        same = (sim.topk(5, 1).indices // PER == (torch.arange(V) // PER)[:, None]).float().mean()
    print(f"epoch {epoch} loss {s / n:.4f} neighbours of the same group {same:.3f}")
