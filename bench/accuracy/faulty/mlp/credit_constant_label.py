# fault: labels-constant
# cause_class: labels, imbalance, data-loading
# family: mlp
# split: tune
# twin: healthy/twins/credit_constant_label.py
import os
import torch
from torch import nn
from torch.utils.data import TensorDataset, DataLoader

torch.manual_seed(int(os.environ.get("SEED", 0)))
income = torch.randn(2000) * 1.0 + 3.0
debt = torch.rand(2000) * 4
age = torch.randint(18, 80, (2000,)).float()
score = 2 * income - 1.5 * debt + 0.02 * age + 0.8 * torch.randn(2000)
default = (score < -300).long()
X = torch.stack([income - 3, (debt - 2) / 1.15, (age - 49) / 18], 1)


class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 24), nn.ReLU(), nn.Linear(24, 2))

    def forward(self, x):
        return self.layers(x)


scorer = Scorer()
loader = DataLoader(TensorDataset(X, default), batch_size=40, shuffle=True)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(scorer.parameters(), lr=0.1)
for epoch in range(4):
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = criterion(scorer(xb), yb)
        loss.backward()
        optimizer.step()
    print("Epoch", epoch + 1, "loss", loss.item())
