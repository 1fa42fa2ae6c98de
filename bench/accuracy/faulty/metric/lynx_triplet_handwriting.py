# fault: not-finite
# cause_class: non-finite, loss
# family: metric
# split: held
# needs: numpy
import os
import random
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import Dataset, DataLoader

seed = int(os.environ.get("SEED", "0"))
random.seed(seed); np.random.seed(seed); torch.manual_seed(seed)

# stand-in for our signature crops: 12 writers, each one a direction with a bit of style noise
N_WRITERS, PER_WRITER, DIM = 12, 240, 48


def make_crops():
    proto = np.random.randn(N_WRITERS, DIM)
    x, y = [], []
    for w in range(N_WRITERS):
        x.append(proto[w] + 1.1 * np.random.randn(PER_WRITER, DIM))
        y += [w] * PER_WRITER
    x = np.concatenate(x).astype("float32")
    return (x - x.mean(0)) / x.std(0), np.array(y)


class TripletSet(Dataset):
    def __init__(self, x, y):
        self.x = torch.from_numpy(x)
        self.y = y
        self.by_label = {c: np.where(y == c)[0] for c in np.unique(y)}
        self.labels = list(self.by_label)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        label = self.y[i]
        pos = random.choice(self.by_label[label])
        other = random.choice([l for l in self.labels if l != label])
        neg = random.choice(self.by_label[other])
        return self.x[i], self.x[pos], self.x[neg]


class EuclideanTriplet(nn.Module):
    """max(d(a,p) - d(a,n) + m, 0) as in FaceNet, but with the real distance and not its square"""

    def __init__(self, margin=0.4):
        super().__init__()
        self.margin = margin

    def dist(self, u, v):
        return torch.sqrt(torch.sum((u - v) ** 2, dim=1))

    def forward(self, a, p, n):
        return torch.relu(self.dist(a, p) - self.dist(a, n) + self.margin).mean()


class Embedder(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(DIM, 64), nn.ReLU(), nn.Linear(64, 16))

    def forward(self, x):
        return nn.functional.normalize(self.body(x), dim=1)


@torch.no_grad()
def retrieval_at_1(model, x, y):
    model.eval()
    e = model(torch.from_numpy(x))
    s = e @ e.T
    s.fill_diagonal_(-2)
    model.train()
    return (y[s.argmax(1).numpy()] == y).mean()


x, y = make_crops()
perm = np.random.permutation(len(x))
tr, te = perm[:2400], perm[2400:]
loader = DataLoader(TripletSet(x[tr], y[tr]), batch_size=16, shuffle=True, drop_last=True)
net = Embedder()
criterion = EuclideanTriplet()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(3):
    for it, (a, p, n) in enumerate(loader):
        loss = criterion(net(a), net(p), net(n))
        opt.zero_grad()
        loss.backward()
        opt.step()
        if it % 25 == 0:
            print(f"epoch {epoch} it {it:3d} triplet {loss.item():.4f}")
    print("R@1 on held-out crops:", round(float(retrieval_at_1(net, x[te], y[te])), 3))
