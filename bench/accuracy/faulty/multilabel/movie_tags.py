# fault: sigmoid-twice
# cause_class: output-activation, loss
# family: multilabel
# split: tune
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(int(os.environ.get("SEED", 0)))
N, FEATURES, TAGS = 2000, 40, 12


class FocalLoss(nn.Module):
    def __init__(self, gamma=1.0):
        super().__init__()
        self.gamma = gamma
        self.bce = nn.BCEWithLogitsLoss(reduction="none")

    def forward(self, out, target):
        ce = self.bce(out, target)
        pt = torch.exp(-ce)
        return ((1 - pt) ** self.gamma * ce).mean()


class TagModel(nn.Module):
    def __init__(self, activation="sigmoid"):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(FEATURES, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.head = nn.Linear(64, TAGS)
        self.activation = getattr(torch, activation)

    def forward(self, x):
        return self.activation(self.head(self.trunk(x)))


x = torch.randn(N, FEATURES)
w = torch.randn(FEATURES, TAGS) / FEATURES ** 0.5
score = x @ w + 0.5 * torch.relu(x[:, :TAGS]) - 1.2
y = (score > 0).float()
print("share of positive tags", y.mean().item())
train, test = random_split(TensorDataset(x, y), [1600, 400])

model = TagModel()
loss_fn = FocalLoss()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(12):
    model.train()
    tot = 0.0
    for xb, yb in DataLoader(train, batch_size=40, shuffle=True):
        loss = loss_fn(model(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    model.eval()
    with torch.no_grad():
        xb, yb = next(iter(DataLoader(test, batch_size=400)))
        pred = model(xb) > 0.5
        tp = (pred & (yb > 0)).sum().item()
        f1 = 2 * tp / max(1, pred.sum().item() + yb.sum().item())
    print(f"epoch {epoch} loss {tot / 40:.4f} micro f1 {f1:.3f}")
