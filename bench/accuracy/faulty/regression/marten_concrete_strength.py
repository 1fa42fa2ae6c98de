# fault: dropout-on-output
# cause_class: regularisation, structure
# family: regression
# split: held
import os
from itertools import pairwise

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


def build_mlp(sizes, p=0.2, act=nn.ReLU):
    layers = []
    for k, (i, o) in enumerate(pairwise(sizes)):
        layers.append(nn.Linear(i, o))
        if k < len(sizes) - 2:
            layers.append(act())
        layers.append(nn.Dropout(p))
    return nn.Sequential(*layers)


def concrete(n):
    x = torch.rand(n, 8)
    cement, water, age, ash = x[:, 0], x[:, 1], x[:, 2], x[:, 3]
    strength = 20 + 45 * cement * (1 - 0.6 * water) * (1 - torch.exp(-4 * age)) + 8 * ash * age + 1.5 * torch.randn(n)
    return (x - 0.5) * 12 ** 0.5, strength


x, y = concrete(2600)
train_x, train_y, test_x, test_y = x[:2000], y[:2000], x[2000:], y[2000:]
mu, sd = train_y.mean(), train_y.std()
target = ((train_y - mu) / sd + 2.0).unsqueeze(1)   # kept positive for the plots

net = build_mlp([8, 64, 64, 1])
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
loss_fn = nn.MSELoss()
for epoch in range(15):
    net.train()
    total = 0.0
    for idx in torch.randperm(2000).split(50):
        loss = loss_fn(net(train_x[idx]), target[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(idx)
    net.eval()
    with torch.no_grad():
        guess = (net(test_x).squeeze(1) - 2.0) * sd + mu
    print(f"epoch {epoch:2d} loss {total / 2000:.4f} test rmse {(guess - test_y).pow(2).mean().sqrt():.2f} MPa")
