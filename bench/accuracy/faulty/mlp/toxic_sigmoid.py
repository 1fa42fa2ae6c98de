# fault: sigmoid-twice
# cause_class: output-activation
# family: mlp
# split: tune
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))

w = torch.randn(16)


def batch(n=64):
    x = torch.randn(n, 16)
    return x, ((x @ w) > w.norm()).float()[:, None]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(16, 32), nn.Sigmoid(), nn.Linear(32, 32), nn.Sigmoid(), nn.Linear(32, 32), nn.Sigmoid(), nn.Linear(32, 1))

    def forward(self, x):
        return torch.sigmoid(self.body(x))


net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.05)
bce = nn.BCEWithLogitsLoss()
for i in range(300):
    x, y = batch()
    loss = bce(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
