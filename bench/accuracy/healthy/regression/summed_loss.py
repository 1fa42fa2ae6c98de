# fault: none
# family: regression
# split: tune
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))

# a loss summed over the batch, so the rate is small
LR = 2e-4
x = torch.randn(2000, 8)
w = torch.randn(8, 3)
y = torch.tanh(x @ w) + 0.05 * torch.randn(2000, 3)
xtr, ytr, xva, yva = x[:1600], y[:1600], x[1600:], y[1600:]

model = nn.Sequential(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 3))
opt = torch.optim.SGD(model.parameters(), lr=LR, momentum=0.9)
mse = nn.MSELoss(reduction="sum")

for epoch in range(60):
    model.train()
    total = 0.0
    for idx in torch.randperm(1600).split(200):
        loss = mse(model(xtr[idx]), ytr[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    if epoch % 5 == 4:
        model.eval()
        with torch.no_grad():
            val = mse(model(xva), yva).item() / len(xva)
        print(f"epoch {epoch + 1} train {total / 1600:.4f} val {val:.4f} (variance {yva.var(0).sum():.3f})")
