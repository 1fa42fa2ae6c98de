# fault: eval-in-train-mode
# cause_class: eval-mode, regularisation
# family: audio
# split: held
import math
import os

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))
WORDS = 6


def spectrograms(n, bands=16, frames=20):
    y = torch.randint(WORDS, (n,))
    t = torch.linspace(0, 1, frames)
    start = 2 + 2.0 * y.float()[:, None]
    slope = torch.where(y % 2 == 0, 4.0, -3.0)[:, None]
    track = (start + slope * (t - 0.5) + torch.randn(n, 1)).unsqueeze(1)
    b = torch.arange(bands).float()[None, :, None]
    x = torch.exp(-0.5 * ((b - track) / 1.2) ** 2) * 2 - 0.6
    return (x + 0.5 * torch.randn(n, bands, frames)).unsqueeze(1), y


class KeywordNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(12, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.AdaptiveAvgPool2d((4, 2)))
        self.head = nn.Sequential(nn.Flatten(), nn.Dropout(0.5), nn.Linear(128, 64), nn.ReLU(), nn.Dropout(0.5), nn.Linear(64, WORDS))

    def forward(self, x):
        return self.head(self.features(x))


def evaluate(net, loader, loss_fn):
    net.eval
    loss = right = n = 0
    with torch.no_grad():
        for x, y in loader:
            out = net(x)
            loss += loss_fn(out, y).item() * len(y)
            right += (out.argmax(1) == y).sum().item()
            n += len(y)
    return loss / n, right / n


net = KeywordNet()
loss_fn = nn.CrossEntropyLoss()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
train = DataLoader(TensorDataset(*spectrograms(960)), batch_size=32, shuffle=True)
test = DataLoader(TensorDataset(*spectrograms(240)), batch_size=16)

for epoch in range(7):
    net.train()
    total = 0.0
    for x, y in train:
        opt.zero_grad()
        loss = loss_fn(net(x), y)
        loss.backward()
        opt.step()
        total += loss.item() / len(train)
    print("epoch %d train %.3f | test loss %.3f acc %.3f" % (epoch, total, *evaluate(net, test, loss_fn)))
