# fault: labels-constant
# cause_class: labels
# family: mlp
# split: tune
# twin: healthy/mlp/alarm_labels.py
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))

w = torch.randn(16)


def batch(n=64):
    x = torch.randn(n, 16)
    score = x @ w
    y = (score > 100.0).float()
    return x, y[:, None]


net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
bce = nn.BCEWithLogitsLoss()
for i in range(400):
    x, y = batch()
    loss = bce(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
