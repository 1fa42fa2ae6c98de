# fault: softmax-one-unit
# cause_class: output-activation, structure
# family: rnn
# split: held
# twin: healthy/rnn/alarm_unit.py
"""Did the temperature go over the limit for three steps in a row?"""
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(int(os.environ.get("SEED", 0)))

n, T = 1800, 20
series = torch.randn(n, T).cumsum(1) * 0.4
series = series + torch.randn(n, 1) * 0.5
hot = (series > 0.8).float()
label = (hot.unfold(1, 3, 1).sum(-1) == 3).any(1).float().unsqueeze(1)
ds = TensorDataset(series.unsqueeze(-1), label)
train, val = random_split(ds, [1500, 300])
dl = DataLoader(train, batch_size=50, shuffle=True)
dv = DataLoader(val, batch_size=300)


class Detector(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.lstm = nn.LSTM(1, hidden, batch_first=True)
        self.fc = nn.Linear(hidden, 1)

    def forward(self, x):
        _, (h, _) = self.lstm(x)
        return torch.softmax(self.fc(h[-1]), dim=1)


model = Detector()
loss_fn = nn.BCELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(12):
    model.train()
    total = 0.0
    for xb, yb in dl:
        optimizer.zero_grad()
        loss = loss_fn(model(xb), yb)
        loss.backward()
        optimizer.step()
        total += loss.item()
    model.eval()
    with torch.no_grad():
        for xb, yb in dv:
            p = model(xb)
            print(f"epoch {epoch} train {total / len(dl):.4f} val {loss_fn(p, yb).item():.4f} acc {((p > 0.5) == (yb > 0.5)).float().mean().item():.3f}")
