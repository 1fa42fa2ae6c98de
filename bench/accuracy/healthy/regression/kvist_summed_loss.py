# fault: none
# family: regression
# split: held
# needs: sklearn
import os

import torch
import torch.nn as nn
from sklearn.datasets import make_friedman1
from torch.utils.data import DataLoader, TensorDataset

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)
x, y = make_friedman1(2000, n_features=8, noise=0.5, random_state=SEED)
x, y = torch.tensor(x, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)
x = (x - 0.5) * 3.46
y = (y - y.mean()) / y.std()
net = nn.Sequential(nn.Linear(8, 64), nn.GELU(), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 1), nn.Flatten(0))
opt = torch.optim.SGD(net.parameters(), lr=4e-5, momentum=0.95)
for epoch in range(40):
    s = 0.0
    for xb, yb in DataLoader(TensorDataset(x[:1600], y[:1600]), batch_size=100, shuffle=True):
        loss = nn.functional.mse_loss(net(xb), yb, reduction="sum")
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item()
    if epoch % 5 == 4:
        with torch.no_grad():
            print(epoch + 1, f"sum per batch {s / 16:.2f} test mse {nn.functional.mse_loss(net(x[1600:]), y[1600:]).item():.4f}")
