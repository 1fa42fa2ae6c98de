# fault: dead-relu
# cause_class: activation, learning-rate
# family: cnn
# split: tune
# twin: healthy/twins/relu_dies_late.py
import os
import torch
import torch.nn as nn
torch.manual_seed(int(os.environ.get("SEED", 0)))

t = torch.randn(4, 1, 9, 9)
y = torch.randint(4, (1200,))
x = t[y] + 0.9 * torch.randn(1200, 1, 9, 9)
conv = nn.Sequential(nn.Conv2d(1, 12, 3), nn.ReLU(), nn.Conv2d(12, 12, 3), nn.ReLU())
fc = nn.Sequential(nn.Flatten(), nn.Linear(300, 4))
opt = torch.optim.SGD([
    {"params": conv.parameters(), "lr": 0.8},
    {"params": fc.parameters(), "lr": 0.01},
], momentum=0.9)
for epoch in range(6):
    for b in torch.randperm(1200).split(40):
        loss = nn.functional.cross_entropy(fc(conv(x[b])), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print("epoch", epoch, loss.item())
