# fault: labels-outside-range
# cause_class: labels, loss
# family: recommender
# split: held
import os
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)
rng = np.random.default_rng(seed)
U, I, K = 120, 80, 4
P, Q = rng.normal(size=(U, K)), rng.normal(size=(I, K))


class Interactions(Dataset):
    """thumbs: up, down"""

    def __init__(self, n):
        self.u, self.i = rng.integers(0, U, n), rng.integers(0, I, n)
        taste = (P[self.u] * Q[self.i]).sum(1)
        self.thumb = np.where(taste > 0, 1.0, -1.0).astype("float32")

    def __len__(self):
        return len(self.u)

    def __getitem__(self, k):
        return self.u[k], self.i[k], self.thumb[k]


class NeuMF(nn.Module):
    def __init__(self, d=16):
        super().__init__()
        self.u, self.i = nn.Embedding(U, d), nn.Embedding(I, d)
        self.tower = nn.Sequential(nn.Linear(2 * d, 32), nn.ReLU(), nn.Linear(32, 8))
        self.out = nn.Linear(d + 8, 1)
        for e in (self.u, self.i):
            nn.init.normal_(e.weight, std=0.1)

    def forward(self, u, i):
        a, b = self.u(u), self.i(i)
        return self.out(torch.cat([a * b, self.tower(torch.cat([a, b], 1))], 1))[:, 0]


model = NeuMF()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
train = DataLoader(Interactions(3000), 50, shuffle=True)
test = Interactions(500)
for epoch in range(6):
    s = 0
    for u, i, y in train:
        loss = F.binary_cross_entropy_with_logits(model(u, i), y)
        opt.zero_grad(); loss.backward(); opt.step()
        s += loss.item()
    with torch.no_grad():
        z = model(torch.as_tensor(test.u), torch.as_tensor(test.i))
        acc = (z.sign() == torch.as_tensor(test.thumb)).float().mean()
    print(f"epoch {epoch} bce {s / len(train):.3f} agreement {acc:.3f}")
