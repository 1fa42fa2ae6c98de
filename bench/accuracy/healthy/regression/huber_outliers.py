# fault: none
# family: regression
# split: tune
# Huber loss on data with a few wild outliers: single losses jump high.
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))

X = torch.randn(2000, 6)
coef = torch.randn(6)
y = X @ coef + 0.1 * torch.randn(2000)
wild = torch.rand(2000) < 0.02
y[wild] += 30 * torch.randn(int(wild.sum()))

model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 1))
loss_fn = nn.HuberLoss(delta=1.0)
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
log = []
for epoch in range(8):
    for i in torch.randperm(2000).split(50):
        pred = model(X[i]).squeeze(-1)
        loss = loss_fn(pred, y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
        log.append(loss.item())
print(f"max {max(log):.3f}")
print(f"loss first {log[0]:.4f} last {sum(log[-40:]) / 40:.4f}")
