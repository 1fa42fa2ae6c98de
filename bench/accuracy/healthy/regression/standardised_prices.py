# fault: none
# family: regression
# split: tune
# Targets in hundreds of thousands, standardised for the training; error reported in the old units.
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(int(os.environ.get("SEED", "0")))

n = 2400
rooms = torch.randint(1, 8, (n,)).float()
area = 25 * rooms + 10 * torch.randn(n).abs()
age = torch.rand(n) * 80
dist = torch.rand(n) * 30
price = 4000 * area - 900 * age - 5000 * dist + 90000 + 200 * rooms**3 + 8000 * torch.randn(n)
x = torch.stack([rooms, area, age, dist], 1)

x = (x - x.mean(0)) / x.std(0)
mu, sigma = price.mean(), price.std()
y = ((price - mu) / sigma).unsqueeze(1)

train, val = random_split(TensorDataset(x, y), [2000, 400])
train_dl = DataLoader(train, batch_size=40, shuffle=True)
val_dl = DataLoader(val, batch_size=400)
model = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
mse = nn.MSELoss()
seen = []
for epoch in range(6):
    model.train()
    for xb, yb in train_dl:
        loss = mse(model(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        seen.append(loss.item())
    model.eval()
    with torch.no_grad():
        xb, yb = next(iter(val_dl))
        rmse = mse(model(xb), yb).sqrt() * sigma
    print(f"epoch {epoch} val rmse {rmse:.0f}")
print(f"loss first {seen[0]:.4f} last {seen[-1]:.4f}")
