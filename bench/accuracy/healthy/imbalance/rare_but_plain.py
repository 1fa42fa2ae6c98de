# fault: none
# family: imbalance
# split: tune
"""One part in sixty has a crack, and a crack is easy to see."""
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", "0")))


def parts(n):
    cracked = torch.rand(n) < 0.017
    x = torch.randn(n, 14)
    x[cracked, :4] += 3.0
    return TensorDataset(x, cracked.long())


train, test = parts(9000), parts(4000)
net = nn.Sequential(nn.Linear(14, 32), nn.ReLU(), nn.Linear(32, 2))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(5):
    for x, y in DataLoader(train, batch_size=64, shuffle=True):
        loss = criterion(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    x, y = test.tensors
    with torch.no_grad():
        said = net(x).argmax(1)
    print(f"epoch {epoch} loss {loss.item():.4f} found {int(((said == 1) & (y == 1)).sum())} of {int(y.sum())}, wrongly {int(((said == 1) & (y == 0)).sum())}")
