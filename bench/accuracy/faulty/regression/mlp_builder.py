# fault: dropout-on-output
# cause_class: regularisation, structure
# family: regression
# split: held
"""Battery capacity from a charging curve."""
import os
from types import SimpleNamespace

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", "0")))

cfg = SimpleNamespace(dims=[20, 64, 32, 1], dropout=0.25, lr=2e-3, batch=64, epochs=8)


def build_mlp(dims, dropout):
    layers = []
    for k in range(len(dims) - 1):
        layers.append(nn.Linear(dims[k], dims[k + 1]))
        if k < len(dims) - 2:
            layers.append(nn.ReLU())
        if dropout:
            layers.append(nn.Dropout(dropout))
    return nn.Sequential(*layers)


def curves(n):
    t = torch.linspace(0, 1, 20)
    tau = 0.1 + 0.5 * torch.rand(n, 1)
    cap = 1 + 2 * torch.rand(n, 1)
    x = cap * (1 - torch.exp(-t / tau)) + 0.05 * torch.randn(n, 20)
    return x, cap + tau


x, y = curves(3000)
xm, xs, ym, ys = x.mean(0), x.std(0), y.mean(), y.std()
train = TensorDataset((x - xm) / xs, (y - ym) / ys)
xv, yv = curves(600)
xv, yv = (xv - xm) / xs, (yv - ym) / ys

model = build_mlp(cfg.dims, cfg.dropout)
optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 2 * cfg.lr, total_steps=cfg.epochs * 47)
for epoch in range(cfg.epochs):
    model.train()
    total, n = 0.0, 0
    for xb, yb in DataLoader(train, cfg.batch, shuffle=True):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(xb), yb)
        loss.backward()
        optimizer.step()
        scheduler.step()
        total, n = total + loss.item(), n + 1
    model.eval()
    with torch.no_grad():
        val = nn.functional.mse_loss(model(xv), yv).item()
    print(f"epoch {epoch} train mse {total / n:.4f} valid mse {val:.4f}")
