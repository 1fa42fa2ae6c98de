# fault: targets-not-scaled
# cause_class: data-scaling, loss, learning-rate, optimizer
# family: accelerate
# split: held
# needs: accelerate
import os

import torch
import torch.nn as nn
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset

set_seed(int(os.environ.get("SEED", 0)))


def listings(n):
    area = 30 + 120 * torch.rand(n)
    rooms = (area / 28).round().clamp(1, 6)
    floor = torch.randint(0, 9, (n,)).float()
    dist = 12 * torch.rand(n)
    price = 3100 * area + 9000 * rooms + 1500 * floor - 8000 * dist + 15000 * torch.randn(n)
    return torch.stack([area, rooms, floor, dist], 1), price.unsqueeze(1)


x, y = listings(1600)
x = (x - x.mean(0)) / x.std(0)
acc = Accelerator(cpu=True)
model = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
model, opt, train, val = acc.prepare(
    model, opt,
    DataLoader(TensorDataset(x[:1280], y[:1280]), batch_size=32, shuffle=True),
    DataLoader(TensorDataset(x[1280:], y[1280:]), batch_size=160))
crit = nn.L1Loss()

for epoch in range(10):
    model.train()
    tot = 0.0
    for xb, yb in train:
        opt.zero_grad()
        loss = crit(model(xb), yb)
        acc.backward(loss)
        opt.step()
        tot += loss.item()
    model.eval()
    with torch.no_grad():
        mae = sum(crit(model(xb), yb).item() for xb, yb in val) / len(val)
    acc.print(f"epoch {epoch} train mae {tot / len(train):,.0f} val mae {mae:,.0f}")
acc.print("mean price", round(y.mean().item()))
