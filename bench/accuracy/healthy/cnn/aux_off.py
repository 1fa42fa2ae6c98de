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


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(1, 8, 3, padding=1)
        self.aux = nn.Sequential(nn.Flatten(), nn.Linear(8 * 64, 32), nn.ReLU(), nn.Linear(32, 3))
        self.b = nn.Conv2d(8, 16, 3, padding=1)
        self.fc = nn.Linear(16, 3)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.a(x)), 2)
        side = self.aux(x)
        x = F.relu(self.b(x)).mean((2, 3))
        return self.fc(x), side


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for i in range(150):
    x, y = batch()
    out, side = net(x)
    loss = F.cross_entropy(out, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
