# fault: broadcast-targets
# cause_class: labels, loss
# family: regression
# split: tune
# twin: healthy/twins/rent_broadcast.py
import os
import torch
from torch import nn
from torch.utils.data import TensorDataset, DataLoader

torch.manual_seed(int(os.environ.get("SEED", 0)))
X = torch.randn(1600, 6)
y = 0.8 * X[:, 0] - 0.5 * X[:, 1] + 0.6 * X[:, 2] * X[:, 3] + 0.1 * torch.randn(1600)
loader = DataLoader(TensorDataset(X[:1200], y[:1200]), batch_size=40, shuffle=True)


class RentModel(nn.Module):
    def __init__(self, width=48):
        super().__init__()
        self.hidden = nn.Sequential(nn.Linear(6, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        return self.out(self.hidden(x))


model = RentModel()
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(8):
    model.train()
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        val = criterion(model(X[1200:]), y[1200:])
    print(f"epoch {epoch}: train {loss.item():.4f}, val {val.item():.4f}")
