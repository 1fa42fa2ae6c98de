# fault: none
# family: vision
# split: held
# set: badger, unseen
# metric: accuracy higher
# baseline: 0.1
# reaches: 0.93
"""Residual net without any normalisation layer (Zhang et al. 2019 scheme), SGD."""
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
import numpy as np
from sklearn.datasets import load_digits

SEED = int(os.environ.get("SEED", 0))
np.random.seed(SEED)
torch.manual_seed(SEED)

DEPTH = 6


class Bias(nn.Module):
    def __init__(self):
        super().__init__()
        self.b = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        return x + self.b


class Block(nn.Module):
    def __init__(self, c, stride=1):
        super().__init__()
        self.b1, self.b2, self.b3, self.b4 = Bias(), Bias(), Bias(), Bias()
        self.conv1 = nn.Conv2d(c, c, 3, stride, 1, bias=False)
        self.conv2 = nn.Conv2d(c, c, 3, 1, 1, bias=False)
        self.scale = nn.Parameter(torch.ones(1))
        self.stride = stride
        std = (2.0 / (c * 9)) ** 0.5
        nn.init.normal_(self.conv1.weight, std=std * DEPTH ** -0.5)
        nn.init.zeros_(self.conv2.weight)

    def forward(self, x):
        r = self.conv1(self.b1(x))
        r = self.conv2(self.b3(F.relu(self.b2(r)))) * self.scale
        s = F.avg_pool2d(x, 2) if self.stride == 2 else x
        return F.relu(s + self.b4(r))


class Net(nn.Module):
    def __init__(self, c=16):
        super().__init__()
        self.stem = nn.Conv2d(1, c, 3, padding=1, bias=False)
        nn.init.kaiming_normal_(self.stem.weight)
        self.blocks = nn.Sequential(*[Block(c, 2 if i == 2 else 1) for i in range(DEPTH)])
        self.bias = Bias()
        self.fc = nn.Linear(c * 16, 10)
        nn.init.zeros_(self.fc.weight)
        nn.init.zeros_(self.fc.bias)

    def forward(self, x):
        h = self.blocks(F.relu(self.stem(x)))
        return self.fc(self.bias(h.flatten(1)))


def groups(net, lr):
    plain = [p for p in net.parameters() if p.numel() > 1]
    scalars = [p for p in net.parameters() if p.numel() == 1]
    return [{"params": plain, "weight_decay": 5e-4}, {"params": scalars, "lr": lr / 10, "weight_decay": 0}]


d = load_digits()
perm = np.random.permutation(len(d.target))
x = torch.tensor(d.images[perm], dtype=torch.float32).unsqueeze(1) / 8 - 0.6
y = torch.tensor(d.target[perm])
xt, yt, xv, yv = x[:1300], y[:1300], x[1300:], y[1300:]

net, LR, TOTAL = Net(), 0.1, 260
opt = torch.optim.SGD(groups(net, LR), lr=LR, momentum=0.9, nesterov=True)
warm = torch.optim.lr_scheduler.LinearLR(opt, 0.05, 1.0, 20)
cool = torch.optim.lr_scheduler.CosineAnnealingLR(opt, TOTAL - 20)
sched = torch.optim.lr_scheduler.SequentialLR(opt, [warm, cool], [20])
for step in range(TOTAL):
    i = torch.randint(len(xt), (64,))
    loss = F.cross_entropy(net(xt[i]), yt[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if step % 20 == 0 or step == TOTAL - 1:
        with torch.no_grad():
            vl = F.cross_entropy(net(xv), yv).item()
        print(f"{step:4d} loss {loss.item():.4f} val {vl:.4f}")
with torch.no_grad():
    acc = (net(xv).argmax(1) == yv).float().mean().item()
print("largest class", (yv == yt.bincount().argmax()).float().mean().item())
print("result: accuracy", acc)
