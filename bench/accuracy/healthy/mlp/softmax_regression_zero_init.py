# fault: none
# family: mlp
# split: tune
# Softmax regression: weights and bias start at zero, which is fine for one convex layer.
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", "0")))

templates = torch.rand(10, 1, 8, 8)
y = torch.randint(0, 10, (2000,))
x = templates[y] + 0.35 * torch.randn(2000, 1, 8, 8)

model = nn.Sequential(nn.Flatten(), nn.Linear(64, 10))
nn.init.zeros_(model[1].weight)
nn.init.zeros_(model[1].bias)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
hist = []
for epoch in range(6):
    for xb, yb in DataLoader(TensorDataset(x, y), batch_size=64, shuffle=True):
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
        hist.append(loss.item())
print(f"loss first {hist[0]:.4f} last {hist[-1]:.4f}")
