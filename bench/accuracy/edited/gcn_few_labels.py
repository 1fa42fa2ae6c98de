# fault: none
# family: graph
# split: held
# set: badger, unseen
# metric: accuracy higher
# baseline: 0.25
# reaches: 0.8
# Unusual: 32 labels among 800 nodes, whole graph per step, dropout 0.6 twice: the training loss is ragged and stays high while evaluation (accuracy only) is good.
import os
import random

import numpy as np
import torch
import torch.nn.functional as F

torch.set_num_threads(1)
seed = int(os.environ.get("SEED", 0))
random.seed(seed)
np.random.seed(seed)
torch.manual_seed(seed)

N, K, WORDS = 800, 4, 300
y = torch.arange(N) % K
same = y[:, None] == y[None]
edge = torch.rand(N, N) < torch.where(same, 0.03, 0.004)
adj = torch.triu(edge, 1).float()
adj = adj + adj.T + torch.eye(N)
deg = adj.sum(1)
adj = (adj / deg.sqrt()[:, None] / deg.sqrt()[None]).to_sparse()
topic = 0.01 + 0.05 * (torch.rand(K, WORDS) < 0.15)
x = torch.bernoulli(topic[y])
x = x / x.sum(1, keepdim=True).clamp_min(1)           # row-normalised bag of words, entries ~0.1

perm = torch.randperm(N)
labelled = torch.cat([perm[y[perm] == k][:8] for k in range(K)])
rest = torch.ones(N, dtype=torch.bool)
rest[labelled] = False
test = rest.nonzero().squeeze(1)

w1 = torch.nn.Parameter(torch.nn.init.xavier_uniform_(torch.empty(WORDS, 16)))
w2 = torch.nn.Parameter(torch.nn.init.xavier_uniform_(torch.empty(16, K)))
opt = torch.optim.Adam([{"params": [w1], "weight_decay": 5e-3}, {"params": [w2], "weight_decay": 0.0}], lr=0.02)


def gcn(train):
    h = F.dropout(x, 0.6, train) @ w1
    h = F.relu(adj @ h)
    return adj @ (F.dropout(h, 0.6, train) @ w2)


@torch.no_grad()
def accuracy(nodes):
    return (gcn(False)[nodes].argmax(1) == y[nodes]).float().mean().item()


for epoch in range(1, 201):
    loss = F.cross_entropy(gcn(True)[labelled], y[labelled])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if epoch % 25 == 0:
        print(f"epoch {epoch} loss {loss.item():.3f} labelled {accuracy(labelled):.3f} rest {accuracy(test):.3f}")

print("one class:", round((y[test] == 0).float().mean().item(), 3))
print(f"result: accuracy {accuracy(test):.4f}")
