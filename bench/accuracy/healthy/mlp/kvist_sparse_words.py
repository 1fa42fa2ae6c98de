# fault: none
# family: mlp
# split: held
# needs: numpy
import os

import numpy as np
import torch
import torch.nn as nn

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)
rng = np.random.default_rng(SEED)
VOCAB, CLASSES = 600, 5
zipf = 1 / np.arange(1, VOCAB + 1)
tilt = rng.normal(size=(CLASSES, VOCAB))
P = zipf * np.exp(tilt)
P /= P.sum(1, keepdims=True)


def documents(n):
    y = rng.integers(0, CLASSES, n)
    counts = np.stack([rng.multinomial(12, P[c]) for c in y])
    x = np.log1p(counts)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    return torch.tensor(x, dtype=torch.float32), torch.tensor(y)


x, y = documents(3000)
xv, yv = documents(600)
print("share of zeros", round((x == 0).float().mean().item(), 4))
net = nn.Sequential(nn.Linear(VOCAB, 32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, CLASSES))
opt = torch.optim.Adagrad(net.parameters(), lr=0.03)
for epoch in range(5):
    net.train()
    s = 0.0
    for b in torch.randperm(3000).split(30):
        loss = nn.functional.cross_entropy(net(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item() / 100
    net.eval()
    with torch.no_grad():
        o = net(xv)
    print(f"epoch {epoch} train {s:.4f} val {nn.functional.cross_entropy(o, yv).item():.4f} acc {(o.argmax(1) == yv).float().mean().item():.3f}")
