# fault: model-replaced
# cause_class: not-updated, optimizer
# family: mlp
# split: held
# twin: healthy/mlp/kfold_cells.py
# 4-fold cross validation, cell types from 16 measurements
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
proto = torch.randn(6, 16)
y = torch.randint(6, (1600,))
X = proto[y] + 0.8 * torch.randn(1600, 16)

def build():
    return nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 6))

folds = torch.randperm(1600).chunk(4)
scores = []
model = build()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for k in range(4):
    model = build()
    test = folds[k]
    train = torch.cat([folds[j] for j in range(4) if j != k])
    for epoch in range(8):
        for b in train[torch.randperm(len(train))].split(40):
            loss = F.cross_entropy(model(X[b]), y[b])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            out = model(X[test])
            acc = (out.argmax(1) == y[test]).float().mean().item()
        print(f"fold {k} epoch {epoch} train {loss.item():.4f} val {F.cross_entropy(out, y[test]).item():.4f} acc {acc:.3f}")
    scores.append(acc)
print("mean accuracy", sum(scores) / 4)
