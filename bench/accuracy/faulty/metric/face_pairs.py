# fault: labels-outside-range
# cause_class: labels, structure, loss
# family: metric
# split: tune
import os
import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)

PEOPLE = torch.randn(25, 30)


def photo(person):
    return PEOPLE[person] + 0.6 * torch.randn(30)


class Pairs(Dataset):
    """(a, b, same?) triples; half of them show the same person."""

    def __init__(self, n):
        self.rows = []
        for _ in range(n):
            p = random.randrange(25)
            same = random.random() < 0.5
            q = p if same else random.choice([k for k in range(25) if k != p])
            self.rows.append((photo(p), photo(q), int(same)))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


class Embedder(nn.Module):
    def __init__(self, out=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, out))

    def forward(self, x):
        return self.net(x)


def verify(model, loader):
    """Best accuracy over thresholds on the cosine."""
    model.eval()
    cos, same = [], []
    with torch.no_grad():
        for a, b, s in loader:
            cos.append(F.cosine_similarity(model(a), model(b)))
            same.append(s)
    cos, same = torch.cat(cos), torch.cat(same).bool()
    best = max(((cos > t) == same).float().mean().item() for t in torch.linspace(-1, 1, 81))
    return best, cos[same].mean().item(), cos[~same].mean().item()


train = DataLoader(Pairs(1500), batch_size=50, shuffle=True)
test = DataLoader(Pairs(300), batch_size=100)
model = Embedder()
criterion = nn.CosineEmbeddingLoss(margin=0.3)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(10):
    model.train()
    total = 0.0
    for a, b, same in train:
        opt.zero_grad()
        loss = criterion(model(a), model(b), same.float())
        loss.backward()
        opt.step()
        total += loss.item()
    acc, cp, cn = verify(model, test)
    print(f"{epoch} loss {total / len(train):.5f} best acc {acc:.3f} cos same {cp:.3f} other {cn:.3f}")
