# fault: softmax-one-unit
# cause_class: output-activation, structure, not-updated, data-loading
# family: sequence
# split: tune
import os
import torch
import torch.nn as nn
from torch.utils.data import Dataset, DataLoader

torch.manual_seed(int(os.environ.get("SEED", 0)))
LEN, FEAT = 24, 10


class Motifs(Dataset):
    """One marked step of each sequence carries the class; the other steps carry the features of other classes."""

    def __init__(self, n):
        proto = torch.eye(FEAT)
        self.y = torch.randint(0, 5, (n,))
        other = torch.randint(0, 5, (n, LEN))
        x = proto[other] + 0.2 * torch.randn(n, LEN, FEAT)
        where = torch.randint(0, LEN, (n,))
        x[torch.arange(n), where] = proto[self.y] + 0.2 * torch.randn(n, FEAT)
        x[torch.arange(n), where, 9] += 2.0
        self.x = x

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class AttentionPool(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(dim, 32), nn.Tanh(), nn.Linear(32, 1))

    def forward(self, h):
        weights = torch.softmax(self.score(h), dim=-1)
        return (weights * h).sum(1) / weights.sum(1)


class Model(nn.Module):
    def __init__(self, classes=5):
        super().__init__()
        self.embed = nn.Sequential(nn.Linear(FEAT, 32), nn.ReLU(), nn.Linear(32, 32))
        self.pool = AttentionPool(32)
        self.head = nn.Linear(32, classes)

    def forward(self, x):
        return self.head(self.pool(self.embed(x)))


train, test = Motifs(2000), Motifs(400)
loader = DataLoader(train, batch_size=50, shuffle=True)
model = Model()
optim = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(12):
    model.train()
    tot, hit = 0.0, 0
    for x, y in loader:
        out = model(x)
        loss = nn.functional.cross_entropy(out, y)
        optim.zero_grad()
        loss.backward()
        optim.step()
        tot += loss.item() * len(y)
        hit += (out.argmax(1) == y).sum().item()
    model.eval()
    with torch.no_grad():
        acc = (model(test.x).argmax(1) == test.y).float().mean().item()
    print(f"{epoch:2d} loss {tot / len(train):.4f} train acc {hit / len(train):.3f} test acc {acc:.3f}")
