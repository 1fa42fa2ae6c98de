# fault: none
# family: mlp
# split: tune
"""Try a few rates for a short while, then train with the best, five folds."""
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
X = torch.randn(1000, 10)
Y = torch.sin(2 * X[:, :1]) + X[:, 1:2] * X[:, 2:3] + 0.1 * torch.randn(1000, 1)


def fit(train, test, lr, epochs):
    torch.manual_seed(1)
    net = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
    opt = torch.optim.Adam(net.parameters(), lr=lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    for _ in range(epochs):
        net.train()
        for i in train[torch.randperm(len(train))].split(50):
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(X[i]), Y[i])
            loss.backward()
            opt.step()
        sched.step()
    net.eval()
    with torch.no_grad():
        return nn.functional.mse_loss(net(X[test]), Y[test]).item()


order = torch.randperm(1000)
scores = {lr: fit(order[:800], order[800:], lr, 3) for lr in (1e-3, 3e-3, 1e-2)}
best = min(scores, key=scores.get)
print(scores)
for k in range(5):
    test = order[k * 200:(k + 1) * 200]
    train = torch.cat([order[:k * 200], order[(k + 1) * 200:]])
    print(k, fit(train, test, best, 12))
