# fault: not-in-optimiser
# cause_class: not-updated, learning-rate
# family: mlp
# split: tune
# twin: healthy/mlp/towers_zero_group.py
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))

centres = torch.randn(6, 20) * 1.2


def batch(n=64):
    k = torch.randint(6, (n,))
    return centres[k] + torch.randn(n, 20), k


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU())
        self.head = nn.Linear(32, 6)

    def forward(self, x):
        return self.head(self.body(x))


net = Net()
opt = torch.optim.Adam([{"params": net.body.parameters(), "lr": 0.0}, {"params": net.head.parameters(), "lr": 1e-3}])
for i in range(300):
    x, y = batch()
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
