# fault: detached-mid-network
# cause_class: not-updated, structure
# family: mlp
# split: tune
# twin: healthy/mlp/steps_residual.py
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))

centres = torch.randn(6, 20) * 1.2


def batch(n=64):
    k = torch.randint(6, (n,))
    return centres[k] + torch.randn(n, 20), k


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.a = nn.Linear(d, 2 * d)
        self.b = nn.Linear(2 * d, d)
        self.n = nn.LayerNorm(d)

    def forward(self, x):
        return self.b(F.relu(self.a(self.n(x))))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(20, 32)
        self.blocks = nn.ModuleList(Block(32) for _ in range(3))
        self.head = nn.Linear(32, 6)

    def forward(self, x):
        x = self.stem(x)
        for b in self.blocks:
            x = x + b(x).detach()
        return self.head(x)


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for i in range(300):
    x, y = batch()
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
