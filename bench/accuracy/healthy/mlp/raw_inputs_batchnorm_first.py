# fault: none
# family: mlp
# split: tune
# Raw table columns on scales from 0.001 to 50000; a BatchNorm comes first and normalises them.
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", "0")))

n = 2400
income = 30000 + 15000 * torch.randn(n)
age = torch.randint(18, 90, (n,)).float()
rate = 0.004 + 0.001 * torch.randn(n)
visits = torch.poisson(torch.full((n,), 3.0))
risk = (income - 30000) / 15000 - (age - 54) / 20 + (rate - 0.004) / 0.001 + 0.5 * (visits - 3)
y = (risk + 0.3 * torch.randn(n) > 0).float()
x = torch.stack([income, age, rate, visits], 1)

model = nn.Sequential(nn.BatchNorm1d(4), nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))
loss_fn = nn.BCEWithLogitsLoss()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
curve = []
for epoch in range(5):
    model.train()
    for xb, yb in DataLoader(TensorDataset(x, y), batch_size=48, shuffle=True, drop_last=True):
        loss = loss_fn(model(xb)[:, 0], yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        curve.append(loss.item())
    model.eval()
    with torch.no_grad():
        print("accuracy", ((model(x)[:, 0] > 0) == (y > 0.5)).float().mean().item())
print(f"loss first {curve[0]:.4f} last {curve[-1]:.4f}")
