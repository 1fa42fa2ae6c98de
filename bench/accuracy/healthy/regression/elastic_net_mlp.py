# fault: none
# family: regression
# split: tune
"""A small network with an elastic net on its weights."""
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))
x = torch.randn(1500, 12)
y = x[:, :1] * x[:, 1:2] + torch.sin(2 * x[:, 2:3]) + 0.1 * torch.randn(1500, 1)
model = nn.Sequential(nn.Linear(12, 48), nn.Tanh(), nn.Linear(48, 24), nn.Tanh(), nn.Linear(24, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
mse = nn.MSELoss()
l1, l2 = 1e-4, 5e-4
for epoch in range(20):
    for part in torch.randperm(1200).split(48):
        weights = [p for name, p in model.named_parameters() if name.endswith("weight")]
        loss = mse(model(x[part]), y[part]) + l1 * sum(w.abs().sum() for w in weights) + l2 * sum((w ** 2).sum() for w in weights)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        print(f"epoch {epoch} loss {loss.item():.4f} test {mse(model(x[1200:]), y[1200:]).item():.4f} of {y[1200:].var().item():.4f}")
