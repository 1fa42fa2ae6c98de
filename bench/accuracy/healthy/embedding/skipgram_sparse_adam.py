# fault: none
# family: embedding
# split: held
# set: heron, unseen
# metric: neighbour_topic_precision higher
# baseline: 0.125
# reaches: 0.8
# Unusual: sparse gradients with SparseAdam, context table starts at zero so that the first loss is exactly (1+k) log 2; loss ends high because of the negatives
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)
VOCAB, TOPICS, DIM, NEG = 320, 8, 24, 5
topic_of = torch.arange(VOCAB) % TOPICS


def corpus(docs, length=20, purity=0.7):
    topic = torch.randint(0, TOPICS, (docs, 1))
    own = torch.randint(0, VOCAB // TOPICS, (docs, length)) * TOPICS + topic
    anyword = torch.randint(0, VOCAB, (docs, length))
    return torch.where(torch.rand(docs, length) < purity, own, anyword)


docs = corpus(3000)
target = nn.Embedding(VOCAB, DIM, sparse=True)
context = nn.Embedding(VOCAB, DIM, sparse=True)
nn.init.uniform_(target.weight, -0.5 / DIM, 0.5 / DIM)
nn.init.zeros_(context.weight)
opt = torch.optim.SparseAdam([*target.parameters(), *context.parameters()], lr=1e-2)


def pairs(n):
    d = torch.randint(0, len(docs), (n,))
    i = torch.randint(0, docs.shape[1] - 2, (n,))
    return docs[d, i], docs[d, i + torch.randint(1, 3, (n,))]


@torch.no_grad()
def precision(k=10):
    w = F.normalize(target.weight, dim=1)
    sim = w @ w.T
    sim.fill_diagonal_(-2)
    return (topic_of[sim.topk(k, 1).indices] == topic_of[:, None]).float().mean().item()


for step in range(700):
    t, c = pairs(512)
    noise = torch.randint(0, VOCAB, (512, NEG))
    v = target(t)
    pos = (v * context(c)).sum(1)
    neg = torch.einsum("bd,bkd->bk", v, context(noise))
    loss = -(F.logsigmoid(pos) + F.logsigmoid(-neg).sum(1)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 0:
        print(f"step {step} loss {loss.item():.4f} precision {precision():.4f}")
print(f"result: neighbour_topic_precision {precision():.4f}")
