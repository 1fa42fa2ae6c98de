# fault: none
# family: mlp
# split: tune
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

X = torch.randn(1500, 18)
y = (X[:, :6].sum(1) + X[:, 6] * X[:, 7] > 0).long()
Xtr, ytr, Xva, yva = X[:1200], y[:1200], X[1200:], y[1200:]
model = nn.Sequential(nn.Linear(18, 96), nn.ReLU(), nn.Dropout(0.4), nn.Linear(96, 48), nn.ReLU(), nn.Dropout(0.4), nn.Linear(48, 2))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(8):
    model.train()
    for b in torch.randperm(1200).split(40):
        optimizer.zero_grad()
        loss = criterion(model(Xtr[b]), ytr[b])
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        out = model(Xva)
        val_loss = criterion(out, yva)
        acc = (out.argmax(1) == yva).float().mean()
    print(f"epoch {epoch} train {loss.item():.3f} val {val_loss.item():.3f} acc {acc.item():.3f}")
