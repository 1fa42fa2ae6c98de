# fault: too-few-updates
# cause_class: epochs, learning-rate
# family: mlp
# split: tune
# alarm: no
import os

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)
np.random.seed(seed)

# churn-like table: 12 numeric columns, 3 classes that depend on products of columns
n = 6000
X = torch.randn(n, 12)
score = torch.stack([X[:, 0] * X[:, 1] + X[:, 2], X[:, 3] * X[:, 4] - X[:, 5], X[:, 6] * X[:, 7]], 1)
y = (score + 0.2 * torch.randn(n, 3)).argmax(1)
train_set, val_set = random_split(TensorDataset(X, y), [5000, 1000])
train_loader = DataLoader(train_set, batch_size=128, shuffle=True)
val_loader = DataLoader(val_set, batch_size=500)


class EarlyStopping:
    def __init__(self, patience=1, min_delta=0.05):
        self.patience, self.min_delta = patience, min_delta
        self.best, self.bad = float("inf"), 0

    def __call__(self, value):
        if value < self.best - self.min_delta:
            self.best, self.bad = value, 0
        else:
            self.bad += 1
        return self.bad >= self.patience


model = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-4)
criterion = nn.CrossEntropyLoss()
stopper = EarlyStopping()

for epoch in range(60):
    model.train()
    for xb, yb in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        v = [(criterion(model(a), b).item(), (model(a).argmax(1) == b).float().mean().item()) for a, b in val_loader]
    val_loss, val_acc = np.mean(v, axis=0)
    print(f"epoch {epoch:02d} train {loss.item():.4f} val {val_loss:.4f} acc {val_acc:.3f}")
    if stopper(val_loss):
        print("stopping early")
        break
