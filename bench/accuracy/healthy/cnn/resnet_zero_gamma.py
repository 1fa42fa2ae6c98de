# fault: none
# family: cnn
# split: tune
# A small ResNet whose last BatchNorm weight of each block starts at zero; cosine schedule with warm-up from 0.
import math
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


class BasicBlock(nn.Module):
    def __init__(self, c_in, c_out, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(c_in, c_out, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(c_out)
        self.conv2 = nn.Conv2d(c_out, c_out, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(c_out)
        nn.init.zeros_(self.bn2.weight)
        self.relu = nn.ReLU(inplace=True)
        self.down = None
        if stride != 1 or c_in != c_out:
            self.down = nn.Sequential(nn.Conv2d(c_in, c_out, 1, stride, bias=False), nn.BatchNorm2d(c_out))

    def forward(self, x):
        identity = x if self.down is None else self.down(x)
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        return self.relu(out + identity)


model = nn.Sequential(
    nn.Conv2d(3, 8, 3, 1, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU(inplace=True),
    BasicBlock(8, 8), BasicBlock(8, 16, 2), BasicBlock(16, 16),
    nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 4),
)

texture = torch.randn(4, 3, 4, 4)
y = torch.randint(0, 4, (800,))
x = texture[y].repeat(1, 1, 3, 3) * 0.7 + torch.randn(800, 3, 12, 12)
x = torch.stack([torch.roll(img, (int(r), int(c)), (1, 2)) for img, (r, c) in zip(x, torch.randint(0, 4, (800, 2)))])

steps, warmup = 160, 20
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
sched = torch.optim.lr_scheduler.LambdaLR(
    opt, lambda s: s / warmup if s < warmup else 0.5 * (1 + math.cos(math.pi * (s - warmup) / (steps - warmup)))
)
loss_fn = nn.CrossEntropyLoss()
hist = []
for step in range(steps):
    i = torch.randint(0, 800, (32,))
    loss = loss_fn(model(x[i]), y[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    hist.append(loss.item())
print(f"loss first {hist[0]:.4f} last {hist[-1]:.4f}")
