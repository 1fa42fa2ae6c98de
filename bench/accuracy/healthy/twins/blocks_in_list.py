# fault: none
# family: cnn
# split: tune
"""Small residual network."""
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Block(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.conv1 = nn.Conv2d(ch, ch, 3, padding=1)
        self.conv2 = nn.Conv2d(ch, ch, 3, padding=1)

    def forward(self, x):
        return F.relu(x + self.conv2(F.relu(self.conv1(x))))


class ResNet(nn.Module):
    def __init__(self, depth=2, ch=8, classes=4):
        super().__init__()
        self.stem = nn.Conv2d(1, ch, 3, padding=1)
        self.blocks = nn.ModuleList([Block(ch) for _ in range(depth)])
        self.fc = nn.Linear(ch, classes)

    def forward(self, x):
        x = F.relu(self.stem(x))
        for b in self.blocks:
            x = b(x)
        return self.fc(x.mean((2, 3)))


def data(n):
    y = torch.randint(4, (n,))
    x = torch.randn(n, 1, 10, 10)
    x[y == 0, :, ::2] += 0.8
    x[y == 1, :, :, ::2] += 0.8
    x[y == 2, :, ::2, ::2] += 1.5
    x[y == 3] += 0.4
    return x, y


model = ResNet()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for it in range(150):
    x, y = data(32)
    loss = F.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if it % 25 == 24:
        print(it + 1, loss.item())
