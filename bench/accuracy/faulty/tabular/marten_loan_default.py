# fault: softmax-one-unit
# cause_class: output-activation, structure
# family: tabular
# split: held
import os

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))


class LoanModel(nn.Module):
    def __init__(self, n_numeric=8, n_regions=12, n_classes=1):
        super().__init__()
        self.region = nn.Embedding(n_regions, 4)
        self.hidden = nn.Sequential(nn.Linear(n_numeric + 4, 48), nn.ReLU(), nn.Dropout(0.1), nn.Linear(48, 24), nn.ReLU())
        self.classify = nn.Sequential(nn.Linear(24, n_classes), nn.Softmax(dim=-1))

    def forward(self, numeric, region):
        return self.classify(self.hidden(torch.cat([numeric, self.region(region)], 1)))


def loans(n):
    num = torch.randn(n, 8)
    reg = torch.randint(0, 12, (n,))
    effect = torch.linspace(-1, 1, 12)[reg]
    risk = 1.2 * num[:, 0] - num[:, 1] + 0.8 * num[:, 2] * num[:, 3] + effect
    return num, reg, (risk + 0.5 * torch.randn(n) > 0.3).float().unsqueeze(1)


train = DataLoader(TensorDataset(*loans(2400)), batch_size=48, shuffle=True)
num, reg, true = loans(600)
model, criterion = LoanModel(), nn.BCELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(1, 9):
    model.train()
    loss_sum = 0.0
    for n, r, t in train:
        optimizer.zero_grad()
        loss = criterion(model(n, r), t)
        loss.backward()
        optimizer.step()
        loss_sum += loss.item()
    model.eval()
    with torch.no_grad():
        p = model(num, reg)
    print(f"Epoch {epoch}/8 - loss: {loss_sum / len(train):.4f} - val_loss: {criterion(p, true):.4f} - val_acc: {((p > 0.5).float() == true).float().mean():.4f}")
