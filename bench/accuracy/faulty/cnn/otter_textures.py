# fault: train-in-eval-mode
# cause_class: eval-mode
# family: cnn
# split: held
import os
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(int(os.environ.get("SEED", 0)))


class TextureNet(nn.Module):
    def __init__(self, n_out):
        super().__init__()
        def unit(i, o):
            return [nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(), nn.MaxPool2d(2)]
        self.f = nn.Sequential(*unit(1, 12), *unit(12, 24), nn.Flatten(), nn.Dropout(0.5), nn.Linear(216, n_out))

    def forward(self, x):
        return self.f(x)

    def describe(self, size):
        """output shape for an input of that size"""
        self.eval()
        with torch.no_grad():
            return tuple(self(torch.zeros(1, 1, size, size)).shape)


def textures(n, size=12):
    y = torch.randint(0, 4, (n,))
    a = y * 0.785 + 0.15 * torch.randn(n)
    g = torch.arange(size).float()
    ph = 6.28 * torch.rand(n, 1, 1)
    w = a.cos()[:, None, None] * g[:, None] + a.sin()[:, None, None] * g
    return TensorDataset((torch.sin(1.3 * w + ph) + 0.9 * torch.randn(n, size, size))[:, None], y)


def accuracy(net, loader):
    hits = n = 0
    with torch.no_grad():
        for x, y in loader:
            hits += (net(x).argmax(1) == y).sum().item()
            n += len(y)
    return hits / n


data = textures(700)
train, val = random_split(data, [500, 200])
train_dl, val_dl = DataLoader(train, 25, shuffle=True), DataLoader(val, 100)
net = TextureNet(4)
print("network maps 12x12 to", net.describe(12))
opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
for epoch in range(10):
    total = 0
    for x, y in train_dl:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
        total += loss.item()
    print(f"epoch {epoch} loss {total / len(train_dl):.4f} train {accuracy(net, train_dl):.3f} val {accuracy(net, val_dl):.3f}")
