# fault: none
# family: mlp
# split: tune
# 95 % of the samples are of one class; the loss is weighted by inverse frequency.
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", "0")))

n_major, n_minor = 3800, 200
x = torch.cat([torch.randn(n_major, 8), torch.randn(n_minor, 8) + 1.1])
y = torch.cat([torch.zeros(n_major), torch.ones(n_minor)]).long()
loader = DataLoader(TensorDataset(x, y), batch_size=100, shuffle=True)

freq = torch.bincount(y).float()
criterion = nn.CrossEntropyLoss(weight=freq.sum() / (2 * freq))
model = nn.Sequential(nn.Linear(8, 32), nn.LeakyReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

values = []
for epoch in range(5):
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
        values.append(loss.item())
pred = model(x).argmax(1)
recall = [(pred[y == c] == c).float().mean().item() for c in (0, 1)]
print("recall per class", recall)
print(f"loss first {sum(values[:20]) / 20:.4f} last {sum(values[-20:]) / 20:.4f}")
