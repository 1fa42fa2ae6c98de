# fault: inputs-not-scaled
# cause_class: data-scaling, data-loading
# family: regression
# split: tune
"""Efficiency of a boiler from operating data; Dataset with an optional transform."""
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(int(os.environ.get("SEED", 0)))


def log_rows(n):
    inlet = 40 + 10 * torch.randn(n)
    load = 200 + 60 * torch.randn(n)
    oxygen = 5 + 1.5 * torch.randn(n)
    eff = -0.6 * (inlet - 40) / 10 + torch.cos((load - 200) / 60) + 0.5 * ((oxygen - 5) / 1.5) * ((inlet - 40) / 10)
    return torch.stack([inlet, load, oxygen], 1), eff[:, None] + 0.1 * torch.randn(n, 1)


class Standardise:
    def __init__(self, x):
        self.mean, self.std = x.mean(0), x.std(0)

    def __call__(self, x):
        return (x - self.mean) / self.std


class BoilerLog(Dataset):
    def __init__(self, x, y, transform=None):
        self.x, self.y, self.transform = x, y, transform

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        x = self.x[i]
        return (self.transform(x) if self.transform else x), self.y[i]


x, y = log_rows(1200)
scale = Standardise(x[:1000])
train_loader = DataLoader(BoilerLog(x[:1000], y[:1000], transform=scale), batch_size=32, shuffle=True)
val_loader = DataLoader(BoilerLog(x[1000:], y[1000:]), batch_size=200)
model = nn.Sequential(nn.Linear(3, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1))
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(15):
    model.train()
    tl = 0.0
    for xb, yb in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
        tl += loss.item() / len(train_loader)
    model.eval()
    with torch.no_grad():
        vl = sum(criterion(model(xb), yb).item() for xb, yb in val_loader) / len(val_loader)
    print(f"epoch {epoch}: train {tl:.4f} val {vl:.4f}")
