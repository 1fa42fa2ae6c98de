# fault: none
# family: recommender
# split: tune
"""Pairwise ranking (BPR) with sparse embedding tables and SparseAdam."""
import os
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import Dataset, DataLoader

torch.manual_seed(int(os.environ.get("SEED", 0)))
U, I, R = 200, 150, 4
affinity = torch.randn(U, R) @ torch.randn(R, I)
liked = affinity.topk(20, dim=1).indices
liked = liked.gather(1, torch.rand(U, 20).argsort(1))
seen, held_out = liked[:, :16], liked[:, 16:]


class Triples(Dataset):
    def __len__(self):
        return U * 16

    def __getitem__(self, k):
        u, j = divmod(k, 16)
        neg = torch.randint(0, I, (1,)).item()
        while neg in SETS[u]:
            neg = torch.randint(0, I, (1,)).item()
        return u, seen[u, j].item(), neg


SETS = [set(row.tolist()) for row in seen]


class BPR(nn.Module):
    def __init__(self, dim=12):
        super().__init__()
        self.user = nn.Embedding(U, dim, sparse=True)
        self.item = nn.Embedding(I, dim, sparse=True)
        nn.init.normal_(self.user.weight, std=0.1)
        nn.init.normal_(self.item.weight, std=0.1)

    def forward(self, u, i, j):
        eu = self.user(u)
        return (eu * (self.item(i) - self.item(j))).sum(1)


model = BPR()
opt = torch.optim.SparseAdam(model.parameters(), lr=1e-2)
loader = DataLoader(Triples(), batch_size=128, shuffle=True)
for epoch in range(12):
    tot = 0
    for u, i, j in loader:
        opt.zero_grad()
        loss = -F.logsigmoid(model(u, i, j)).mean()
        loss.backward()
        opt.step()
        tot += loss.item()
    with torch.no_grad():
        score = model.user.weight @ model.item.weight.T
        score.scatter_(1, seen, -1e9)
        top = score.topk(10, dim=1).indices
        recall = (top[:, :, None] == held_out[:, None]).any(1).float().mean()
    print(f"epoch {epoch} loss {tot / len(loader):.4f} recall@10 {recall:.3f}")
