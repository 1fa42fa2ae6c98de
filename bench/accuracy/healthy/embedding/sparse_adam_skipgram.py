# fault: none
# family: embedding
# split: tune
# Skip-gram with negative sampling, sparse embeddings and SparseAdam; the output table starts at zero.
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))

V, TOPICS, NEG = 300, 15, 5


class SkipGram(nn.Module):
    def __init__(self, v, d):
        super().__init__()
        self.inp = nn.Embedding(v, d, sparse=True)
        self.out = nn.Embedding(v, d, sparse=True)
        nn.init.uniform_(self.inp.weight, -0.5 / d, 0.5 / d)
        nn.init.zeros_(self.out.weight)

    def forward(self, centre, context, negative):
        c = self.inp(centre)
        pos = (c * self.out(context)).sum(1)
        neg = torch.bmm(self.out(negative), c.unsqueeze(2)).squeeze(2)
        return -(F.logsigmoid(pos) + F.logsigmoid(-neg).sum(1)).mean()


def pairs(n):
    topic = torch.randint(0, TOPICS, (n,))
    pick = lambda: topic + TOPICS * torch.randint(0, V // TOPICS, (n,))
    return pick(), pick(), torch.randint(0, V, (n, NEG))


model = SkipGram(V, 16)
opt = torch.optim.SparseAdam(list(model.parameters()), lr=2e-2)
trace = []
for step in range(250):
    loss = model(*pairs(256))
    opt.zero_grad()
    loss.backward()
    opt.step()
    trace.append(loss.item())
print(f"loss first {trace[0]:.4f} last {trace[-1]:.4f}")
