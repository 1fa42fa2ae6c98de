# fault: none
# family: mlp
# split: tune
"""Logistic regression on L2-normed, very sparse word counts."""
import os

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))
VOCAB, CLASSES, N = 2000, 4, 1600


def corpus(n):
    y = torch.randint(0, CLASSES, (n,))
    x = torch.zeros(n, VOCAB)
    for i in range(n):
        common = (torch.rand(20).pow(3) * VOCAB).long()
        topic = y[i] * 40 + 1000 + torch.randint(0, 40, (6,))
        for j in torch.cat([common, topic]):
            x[i, j] += 1
    return F.normalize(x.log1p(), dim=1), y


xtr, ytr = corpus(N)
xte, yte = corpus(400)
clf = torch.nn.Linear(VOCAB, CLASSES)
opt = torch.optim.SGD(clf.parameters(), lr=8.0)
for epoch in range(10):
    clf.train()
    running = 0.0
    for xb, yb in DataLoader(TensorDataset(xtr, ytr), batch_size=64, shuffle=True):
        loss = F.cross_entropy(clf(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        running += loss.item() * len(xb)
    clf.eval()
    with torch.no_grad():
        out = clf(xte)
    print(f"{epoch} train {running / N:.3f} test {F.cross_entropy(out, yte):.3f} acc {(out.argmax(1) == yte).float().mean():.3f}")
