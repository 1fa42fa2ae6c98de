# fault: none
# family: cnn
# split: tune
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))


def batch(n=32):
    k = torch.randint(3, (n,))
    x = 0.5 * torch.randn(n, 1, 16, 16)
    for i, c in enumerate(k.tolist()):
        x[i, 0, ::c + 2] += 1
    return x, k


net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(64, 3))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
crit = nn.CrossEntropyLoss()
for i in range(200):
    x, y = batch()
    loss = crit(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
