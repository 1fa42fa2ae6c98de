# fault: none
# family: regression
# split: held
"""Random Fourier features that are never trained, a linear read-out on top with plain SGD and a large rate."""
import math
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", "0")))


class FourierFeatures(nn.Module):
    def __init__(self, n_in, n_features, bandwidth):
        super().__init__()
        self.proj = nn.Linear(n_in, n_features)
        nn.init.normal_(self.proj.weight, std=1 / bandwidth)
        nn.init.uniform_(self.proj.bias, 0, 2 * math.pi)
        self.proj.requires_grad_(False)
        self.scale = math.sqrt(2 / n_features)

    def forward(self, x):
        return self.scale * torch.cos(self.proj(x))


def wind(n):
    x = torch.randn(n, 3)
    y = torch.sin(1.5 * x[:, 0]) + 0.5 * torch.cos(x[:, 1] * x[:, 2]) + 0.1 * torch.randn(n)
    return x, y


x, y = wind(4000)
xv, yv = wind(800)
mean, std = y.mean(), y.std()
loader = DataLoader(TensorDataset(x, (y - mean) / std), batch_size=64, shuffle=True)
model = nn.Sequential(FourierFeatures(3, 200, 1.2), nn.Linear(200, 1), nn.Flatten(0))
optimizer = torch.optim.SGD((p for p in model.parameters() if p.requires_grad), lr=0.5, momentum=0.9)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.75)
for epoch in range(8):
    model.train()
    total = 0.0
    for a, b in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(a), b)
        loss.backward()
        optimizer.step()
        total += loss.item()
    scheduler.step()
    model.eval()
    with torch.no_grad():
        v = nn.functional.mse_loss(model(xv), (yv - mean) / std).item()
    print(f"epoch {epoch} train {total / len(loader):.4f} valid {v:.4f}")
