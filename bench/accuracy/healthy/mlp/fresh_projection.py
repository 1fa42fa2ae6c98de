# fault: none
# family: mlp
# split: tune
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
        self.a = nn.Linear(20, 32)
        self.proj = nn.Linear(32, 32)
        self.b = nn.Linear(32, 6)

    def forward(self, x):
        h = F.relu(self.a(x))
        h = F.relu(self.proj(h))
        return self.b(h)


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for i in range(300):
    x, y = batch()
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
