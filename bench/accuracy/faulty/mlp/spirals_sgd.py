# fault: zero-grad
# cause_class: zero-grad
# family: mlp
# split: tune
# twin: healthy/twins/spirals_sgd.py
"""Three spirals, small MLP."""
import math
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


def spirals(n, classes=3):
    xs, ys = [], []
    for c in range(classes):
        t = torch.rand(n) * 3 + 0.5
        a = t * 2 + c * 2 * math.pi / classes
        xs.append(torch.stack([t * a.cos(), t * a.sin()], 1) / 3.5 + 0.03 * torch.randn(n, 2))
        ys.append(torch.full((n,), c))
    return torch.cat(xs), torch.cat(ys)


X, y = spirals(400)
Xv, yv = spirals(100)
net = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3))
loss_fn = nn.CrossEntropyLoss()
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)

for epoch in range(20):
    order = torch.randperm(len(X))
    for i in range(0, len(X), 100):
        idx = order[i:i + 100]
        loss = loss_fn(net(X[idx]), y[idx])
        loss.backward()
        opt.step()
    with torch.no_grad():
        acc = (net(Xv).argmax(1) == yv).float().mean()
    print(f"epoch {epoch} loss {loss.item():.4f} val acc {acc:.3f}")
