# fault: running-statistics
# cause_class: eval-mode, structure
# family: cnn
# split: held
"""Port of a small TensorFlow model to PyTorch."""
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = int(os.environ.get("SEED", "0"))
torch.manual_seed(SEED)

BN_DECAY = 0.9997
BN_EPS = 1e-3


class SeparableConv(nn.Module):
    def __init__(self, i, o, stride=1):
        super().__init__()
        self.depthwise = nn.Conv2d(i, i, 3, stride=stride, padding=1, groups=i, bias=False)
        self.bn1 = nn.BatchNorm2d(i, eps=BN_EPS, momentum=1 - BN_DECAY)
        self.pointwise = nn.Conv2d(i, o, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(o, eps=BN_EPS, momentum=1 - BN_DECAY)
        self.act = nn.ReLU6()

    def forward(self, x):
        x = self.act(self.bn1(self.depthwise(x)))
        return self.act(self.bn2(self.pointwise(x)))


class TinyMobileNet(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 12, 3, padding=1, bias=False),
                                  nn.BatchNorm2d(12, eps=BN_EPS, momentum=1 - BN_DECAY), nn.ReLU6())
        self.blocks = nn.Sequential(SeparableConv(12, 24, 2), SeparableConv(24, 32, 2))
        self.head = nn.Linear(32, classes)

    def forward(self, x):
        return self.head(self.blocks(self.stem(x)).mean((2, 3)))


def images(n, palette):
    y = torch.randint(0, len(palette), (n,))
    x = palette[y][:, :, None, None] * 0.3 + 0.6 * torch.randn(n, 3, 16, 16)
    x[:, :, 4:12, 4:12] += palette[(y + 1) % len(palette)][:, :, None, None] * 0.4
    return TensorDataset(x, y)


def accuracy(model, data):
    model.eval()
    with torch.no_grad():
        logits = model(data.tensors[0])
    return (logits.argmax(1) == data.tensors[1]).float().mean().item(), nn.functional.cross_entropy(logits, data.tensors[1]).item()


palette = torch.randn(6, 3)
train, valid = images(1500, palette), images(400, palette)
model = TinyMobileNet(6)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=4e-5)
for epoch in range(4):
    model.train()
    total = 0.0
    loader = DataLoader(train, batch_size=50, shuffle=True)
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss.item()
    acc, vloss = accuracy(model, valid)
    print(f"epoch {epoch} loss {total / len(loader):.4f} valid loss {vloss:.4f} acc {acc:.3f}")
