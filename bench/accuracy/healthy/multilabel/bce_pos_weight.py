# fault: none
# family: multilabel
# split: tune
# Fifteen rare labels, BCEWithLogitsLoss with pos_weight: some batches lack some labels.
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", "0")))

L = 15
x = torch.randn(3000, 20)
proj = torch.randn(20, L) / 20**0.5
y = (x @ proj + 0.2 * torch.randn(3000, L) > 1.3).float()
pos = y.mean(0)
print("positive rates", [round(p, 3) for p in pos.tolist()])

model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, L))
criterion = nn.BCEWithLogitsLoss(pos_weight=(1 - pos) / pos)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
hist = []
for epoch in range(5):
    for xb, yb in DataLoader(TensorDataset(x, y), batch_size=50, shuffle=True):
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
        hist.append(loss.item())
print(f"loss first {hist[0]:.4f} last {hist[-1]:.4f}")
