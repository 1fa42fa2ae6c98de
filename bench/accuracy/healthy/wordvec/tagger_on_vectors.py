# fault: none
# family: wordvec
# split: tune
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))
# word vectors first, then a tagger on top of them that leaves them as they are
V, D = 120, 12
topic = torch.randint(0, 4, (V,))
pairs = torch.randint(0, V, (20000, 2))
same = (topic[pairs[:, 0]] == topic[pairs[:, 1]]).float()
vectors = nn.Embedding(V, D)
first = torch.optim.Adam(vectors.parameters(), lr=0.02)
for b in torch.randperm(20000).split(200):
    score = (vectors(pairs[b, 0]) * vectors(pairs[b, 1])).sum(1) / D ** 0.5
    loss = nn.functional.binary_cross_entropy_with_logits(score, same[b])
    first.zero_grad()
    loss.backward()
    first.step()
print("vectors", loss.item(), vectors.weight.std().item())

head = nn.Sequential(nn.Linear(D, 32), nn.ReLU(), nn.Linear(32, 4))
second = torch.optim.Adam(head.parameters(), lr=5e-3)
for step in range(300):
    words = torch.randint(0, V, (64,))
    loss = nn.functional.cross_entropy(head(vectors(words)), topic[words])
    second.zero_grad()
    loss.backward()
    second.step()
print("tagger", loss.item())
