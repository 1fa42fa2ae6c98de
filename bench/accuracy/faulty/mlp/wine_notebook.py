# fault: model-replaced
# cause_class: optimizer, not-updated
# family: mlp
# split: tune
# %% [markdown]
# Three cultivars, thirteen measurements
# %%
import os

import numpy as np
import torch
from torch import nn

SEED = int(os.environ.get("SEED", 0))
np.random.seed(SEED)
torch.manual_seed(SEED)

# %%
centers = np.random.randn(3, 13) * 0.9
labels = np.random.randint(0, 3, 900)
X = centers[labels] + np.random.randn(900, 13)
X = (X - X.mean(0)) / X.std(0)
X = torch.tensor(X, dtype=torch.float32)
y = torch.tensor(labels)
Xtr, ytr, Xte, yte = X[:700], y[:700], X[700:], y[700:]


# %%
def build(width, p):
    return nn.Sequential(nn.Linear(13, width), nn.ReLU(), nn.Dropout(p), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 3))


net = build(32, 0.1)
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
criterion = nn.CrossEntropyLoss()
print(sum(p.numel() for p in net.parameters()), "parameters")

# %%
# wider works better, see the run of last week
net = build(64, 0.1)
print(net)

# %%
history = []
for epoch in range(12):
    net.train()
    perm = torch.randperm(len(Xtr))
    for idx in perm.split(35):
        net.zero_grad()
        loss = criterion(net(Xtr[idx]), ytr[idx])
        loss.backward()
        optimizer.step()
        history.append(loss.item())
    net.eval()
    with torch.no_grad():
        acc = (net(Xte).argmax(1) == yte).float().mean()
    print(f"epoch {epoch:2d}  loss {np.mean(history[-20:]):.4f}  test acc {acc:.3f}")
