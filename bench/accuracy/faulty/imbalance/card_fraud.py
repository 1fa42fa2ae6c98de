# fault: class-imbalance
# cause_class: imbalance, labels, loss
# family: imbalance
# split: tune
import os
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", "0")))


def transactions(n):
    """Card payments; about one in seventy is fraud."""
    x = torch.randn(n, 16)
    fraud = torch.rand(n) < 0.014
    shift = torch.zeros(16)
    shift[:5] = torch.tensor([1.1, -0.9, 0.8, 1.0, -0.8])
    x[fraud] = x[fraud] + shift
    return x, fraud.long()


class FraudNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(16, 32), nn.ReLU(), nn.Dropout(0.2),
            nn.Linear(32, 16), nn.ReLU(),
            nn.Linear(16, 2))

    def forward(self, x):
        return self.layers(x)


xt, yt = transactions(12000)
xv, yv = transactions(6000)
loader = DataLoader(TensorDataset(xt, yt), batch_size=128, shuffle=True)
model = FraudNet()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(6):
    model.train()
    total = 0
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss.item()
    model.eval()
    with torch.no_grad():
        pred = model(xv).argmax(1)
    acc = (pred == yv).float().mean().item()
    print(f"epoch {epoch} loss {total / len(loader):.4f} acc {acc:.4f}")
tp = ((pred == 1) & (yv == 1)).sum().item()
print("frauds found:", tp, "of", (yv == 1).sum().item(), "; flagged:", (pred == 1).sum().item())
