# fault: none
# family: timeseries
# split: held
import os

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))
QS = torch.tensor([0.1, 0.5, 0.9])


def demand(n):
    t = torch.arange(n, dtype=torch.float32)
    base = torch.sin(t * 0.26) + 0.4 * torch.sin(t * 0.037)
    return base + (0.1 + 0.15 * (base > 0)) * torch.randn(n)


class QuantileGRU(nn.Module):
    def __init__(self):
        super().__init__()
        self.g = nn.GRU(1, 24, batch_first=True)
        self.h = nn.Linear(24, 3)

    def forward(self, x):
        return self.h(self.g(x)[1][-1])


def pinball(pred, y):
    e = y.unsqueeze(1) - pred
    return torch.maximum(QS * e, (QS - 1) * e).mean()


s = demand(2000)
s = (s - s[:1600].mean()) / s[:1600].std()
w = s.unfold(0, 25, 1)
X, Y = w[:, :24, None], w[:, 24]
model = QuantileGRU()
opt = torch.optim.RMSprop(model.parameters(), lr=3e-3)
for epoch in range(6):
    tot = 0.0
    dl = DataLoader(TensorDataset(X[:1550], Y[:1550]), 32, shuffle=True)
    for x, y in dl:
        loss = pinball(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    with torch.no_grad():
        p = model(X[1600:])
        below = (Y[1600:, None] < p).float().mean(0)
    print(f"epoch {epoch} pinball {tot / len(dl):.4f} test {pinball(p, Y[1600:]).item():.4f} coverage {[round(v, 3) for v in below.tolist()]}")
