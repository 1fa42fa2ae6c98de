# fault: running-statistics
# cause_class: eval-mode, structure
# family: regression
# split: held
# twin: healthy/regression/wear_batchnorm.py
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))

# tool wear from temperatures around 3 and forces around 5 (already in standard units of the plant)
X = torch.randn(2400, 10) * torch.linspace(0.5, 2, 10) + torch.linspace(3, 5, 10)
Z = (X - torch.linspace(3, 5, 10)) / torch.linspace(0.5, 2, 10)
y = torch.tanh(Z[:, :1]) + 0.6 * Z[:, 1:2] - 0.5 * Z[:, 2:3].abs() + 0.1 * torch.randn(2400, 1)

BN = dict(momentum=1e-4)


class Wear(nn.Module):
    def __init__(self):
        super().__init__()
        self.bn0 = nn.BatchNorm1d(10, **BN)
        self.l1, self.bn1 = nn.Linear(10, 64), nn.BatchNorm1d(64, **BN)
        self.l2 = nn.Linear(64, 1)

    def forward(self, x):
        return self.l2(torch.relu(self.bn1(self.l1(self.bn0(x)))))


model = Wear()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
loader = DataLoader(TensorDataset(X[:2000], y[:2000]), batch_size=40, shuffle=True)
for epoch in range(12):
    model.train()
    tr = 0.0
    for a, b in loader:
        opt.zero_grad()
        loss = nn.functional.mse_loss(model(a), b)
        loss.backward()
        opt.step()
        tr += loss.item() / len(loader)
    model.eval()
    with torch.no_grad():
        va = nn.functional.mse_loss(model(X[2000:]), y[2000:]).item()
    print(f"epoch {epoch}\ttrain_mse {tr:.4f}\tval_mse {va:.4f}")
