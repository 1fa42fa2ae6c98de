# fault: none
# family: cnn
# split: tune
# Stochastic depth (blocks are left out at random) with gradient checkpointing and GroupNorm.
import os

import torch
import torch.nn as nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(int(os.environ.get("SEED", "0")))


class DropBlock(nn.Module):
    def __init__(self, c, keep):
        super().__init__()
        self.keep = keep
        self.body = nn.Sequential(
            nn.Conv2d(c, c, 3, padding=1), nn.GroupNorm(4, c), nn.ReLU(), nn.Conv2d(c, c, 3, padding=1), nn.GroupNorm(4, c)
        )

    def forward(self, x):
        if self.training:
            if torch.rand(()) > self.keep:
                return x
            return torch.relu(x + checkpoint(self.body, x, use_reentrant=False))
        return torch.relu(x + self.keep * self.body(x))


class Net(nn.Module):
    def __init__(self, depth=6):
        super().__init__()
        self.stem = nn.Conv2d(1, 8, 3, padding=1)
        self.blocks = nn.Sequential(*[DropBlock(8, 1 - 0.5 * k / depth) for k in range(depth)])
        self.fc = nn.Linear(8, 3)

    def forward(self, x):
        return self.fc(self.blocks(torch.relu(self.stem(x))).mean((2, 3)))


kernels = torch.randn(3, 1, 3, 3)
y = torch.randint(0, 3, (600,))
noise = torch.randn(600, 1, 10, 10)
x = torch.cat([nn.functional.conv2d(n[None], kernels[c][None], padding=1) for n, c in zip(noise, y)])
x = x / x.std()

net = Net()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
lossf = nn.CrossEntropyLoss()
track = []
for epoch in range(8):
    net.train()
    for i in torch.randperm(600).split(40):
        loss = lossf(net(x[i]), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
        track.append(loss.item())
net.eval()
with torch.no_grad():
    print("accuracy", (net(x).argmax(1) == y).float().mean().item())
print(f"loss first {sum(track[:5]) / 5:.4f} last {sum(track[-10:]) / 10:.4f}")
