# fault: none
# family: regression
# split: tune
"""Predict tomorrow's (standardised) temperature."""
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
X = torch.randn(1500, 9)
w = torch.randn(9)
Y = (torch.sin(X @ w / 2) * 2 + 0.5 * X[:, 0] + 0.1 * torch.randn(1500)).unsqueeze(1)
Y = (Y - Y.mean()) / Y.std()
model = nn.Sequential(
    nn.Linear(9, 64), nn.ReLU(),
    nn.Linear(64, 64), nn.ReLU(),
    nn.Linear(64, 1))
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(10):
    perm = torch.randperm(1200)
    for i in range(0, 1200, 40):
        b = perm[i:i + 40]
        optimizer.zero_grad()
        loss = criterion(model(X[b]), Y[b])
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        val = criterion(model(X[1200:]), Y[1200:]).item()
    print(f"epoch {epoch}: val mse {val:.4f}")
