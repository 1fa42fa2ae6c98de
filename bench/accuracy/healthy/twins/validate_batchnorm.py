# fault: none
# family: cnn
# split: tune
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))


def conv_bn(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True))


class SmallNet(nn.Module):
    def __init__(self, num_classes=4):
        super().__init__()
        self.layers = nn.Sequential(conv_bn(1, 8), nn.MaxPool2d(2), conv_bn(8, 16), nn.AdaptiveAvgPool2d(1))
        self.fc = nn.Linear(16, num_classes)

    def forward(self, x):
        return self.fc(self.layers(x).flatten(1))


def make(n):
    y = torch.randint(4, (n,))
    x = torch.randn(n, 1, 12, 12)
    for c, roll in enumerate([(0, 1), (1, 0), (1, 1), (1, -1)]):
        x[y == c] += torch.roll(x[y == c], roll, (2, 3))
    return TensorDataset(x, y)


def evaluate(model, loader):
    model.eval()
    total, correct = 0.0, 0
    with torch.no_grad():
        for x, y in loader:
            out = model(x)
            total += F.cross_entropy(out, y, reduction="sum").item()
            correct += (out.argmax(1) == y).sum().item()
    return total / len(loader.dataset), correct / len(loader.dataset)


train_dl = DataLoader(make(960), batch_size=32, shuffle=True)
val_dl = DataLoader(make(240), batch_size=24)
model = SmallNet()
opt = torch.optim.AdamW(model.parameters(), lr=4e-3)
for epoch in range(6):
    model.train()
    for x, y in train_dl:
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    vl, va = evaluate(model, val_dl)
    print(f"epoch {epoch} train {loss.item():.3f} val {vl:.3f} acc {va:.3f}")
