# fault: none
# family: mlp
# split: held
import os

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))


class PairEnergy(nn.Module):
    """Energy of a cluster of seven atoms as a sum over its pairs."""

    def __init__(self, width=32):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(12, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 1))
        self.register_buffer("centres", torch.linspace(0.6, 3.4, 12))

    def forward(self, d):
        basis = torch.exp(-((d.unsqueeze(-1) - self.centres) / 0.3) ** 2)
        return self.net(basis).squeeze(-1).sum(-1)


def clusters(n):
    pos = torch.rand(n, 7, 3) * 1.8
    i, j = torch.triu_indices(7, 7, 1)
    d = (pos[:, i] - pos[:, j]).norm(dim=-1).clamp(min=0.7)
    e = ((1.0 / d) ** 4 - 1.5 * (1.0 / d) ** 2).sum(1)
    return d, e


d, e = clusters(2200)
e = (e - e[:2000].mean()) / e[:2000].std()
loader = DataLoader(TensorDataset(d[:2000], e[:2000]), batch_size=100, shuffle=True)
model = PairEnergy()
# the loss is a sum over the batch of a hundred, and so is the gradient
criterion = nn.MSELoss(reduction="sum")
optimizer = torch.optim.SGD(model.parameters(), lr=1.5e-6, momentum=0.9)

for epoch in range(25):
    total = 0.0
    for x, y in loader:
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    if epoch % 3 == 0:
        with torch.no_grad():
            test = criterion(model(d[2000:]), e[2000:]).item() / 200
        print(f"epoch {epoch:2d} sum of squares {total:9.2f} test mse {test:.4f}")
