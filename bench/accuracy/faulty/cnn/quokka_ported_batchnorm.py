# fault: running-statistics
# cause_class: eval-mode, structure
# family: cnn
# split: tune
import os
from functools import partial
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))

bn_kwargs = dict(eps=1e-3, momentum=0.001)
BN = partial(nn.BatchNorm2d, **bn_kwargs)


class Residual(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c1, self.b1 = nn.Conv2d(c, c, 3, padding=1, bias=False), BN(c)
        self.c2, self.b2 = nn.Conv2d(c, c, 3, padding=1, bias=False), BN(c)

    def forward(self, x):
        return F.relu(x + self.b2(self.c2(F.relu(self.b1(self.c1(x))))))


class Net(nn.Module):
    def __init__(self, c=12):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, c, 3, stride=2, padding=1, bias=False), BN(c), nn.ReLU())
        self.res = Residual(c)
        self.fc = nn.Linear(c, 5)

    def forward(self, x):
        return self.fc(self.res(self.stem(x)).mean((2, 3)))


def pictures(n):
    y = torch.randint(0, 5, (n,))
    x = 0.7 * torch.randn(n, 3, 12, 12)
    for k in range(3):
        x[:, k] += (((y + 1) >> k) & 1).float()[:, None, None] * (torch.arange(12) % 2).float() * 1.2
    return x, y


xt, yt = pictures(1500)
xv, yv = pictures(400)
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(6):
    net.train()
    tot = 0.0
    for b in torch.randperm(1500).split(30):
        loss = F.cross_entropy(net(xt[b]), yt[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    net.eval()
    with torch.no_grad():
        o = net(xv)
        print(f"{epoch} train {tot / 50:.4f} val {F.cross_entropy(o, yv):.4f} acc {(o.argmax(1) == yv).float().mean():.3f}")
