# fault: not-shuffled
# cause_class: data-loading
# family: proteins
# split: held
"""Fold class from a residue sequence (reduced alphabet), self-attention pooling.

Usage:  python civet_fold_classes.py
The records come family by family, the way the database dumps them.
"""
import os
import random
from collections import Counter
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

random.seed(int(os.environ.get("SEED", 0)))
torch.manual_seed(int(os.environ.get("SEED", 0)))
AA = "HPCGNQ"
CLASSES = ["alpha", "beta", "a/b", "a+b", "coil"]
MOTIFS = {"alpha": ["HPPHHP", "HPPHPP"], "beta": ["HPHPHP", "PHPHGG"], "a/b": ["GGHPPH", "HHHGNG"],
          "a+b": ["CQHPHC", "QQHHPN"], "coil": ["GNGNPG", "NPNGQC"]}


def protein(cls, length=30):
    s = random.choices(AA, k=length)
    for m in MOTIFS[cls]:
        if random.random() < 0.9:
            p = random.randrange(length - 6)
            s[p:p + 6] = m
    return "".join(s)


class FoldSet(Dataset):
    def __init__(self, per_class):
        self.items = [(protein(c), k) for k, c in enumerate(CLASSES) for _ in range(per_class)]
        print("records:", Counter(CLASSES[k] for _, k in self.items))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        s, k = self.items[i]
        return torch.tensor([AA.index(c) for c in s]), k


class FoldNet(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.emb = nn.Embedding(len(AA), d)
        self.conv = nn.Sequential(nn.Conv1d(d, d, 6), nn.GELU())
        self.att = nn.Linear(d, 1)
        self.head = nn.Sequential(nn.Linear(2 * d, 32), nn.GELU(), nn.Linear(32, len(CLASSES)))

    def forward(self, s):
        h = self.conv(self.emb(s).transpose(1, 2)).transpose(1, 2)
        pooled = (self.att(h).softmax(1) * h).sum(1)
        return self.head(torch.cat([pooled, h.amax(1)], 1))


train = DataLoader(FoldSet(320), batch_size=32)
test = DataLoader(FoldSet(80), batch_size=400)
net = FoldNet()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(7):
    for s, k in train:
        loss = nn.functional.cross_entropy(net(s), k)
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        (s, k), = test
        out = net(s).argmax(1)
    print(f"epoch {epoch}  last batch loss {loss.item():.4f}  test accuracy {(out == k).float().mean():.3f}")
