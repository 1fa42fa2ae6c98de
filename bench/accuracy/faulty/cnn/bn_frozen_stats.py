# fault: running-statistics
# cause_class: eval-mode, structure
# family: cnn
# split: tune
# twin: healthy/twins/bn_frozen_stats.py
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(int(os.environ.get("SEED", 0)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(1, 8, 3)
        self.b1 = nn.BatchNorm2d(8, momentum=0.0)
        self.c2 = nn.Conv2d(8, 16, 3)
        self.b2 = nn.BatchNorm2d(16, momentum=0.0)
        self.fc = nn.Linear(16, 4)

    def forward(self, x):
        x = F.relu(self.b1(self.c1(x)))
        x = F.relu(self.b2(self.c2(x)))
        return self.fc(x.mean((2, 3)))


k = torch.randn(4, 1, 3, 3)


def gen(n):
    y = torch.randint(4, (n,))
    z = torch.randn(n, 1, 12, 12)
    x = torch.cat([F.conv2d(z[i:i + 1], k[y[i]][None], padding=1) for i in range(n)])
    return 2.5 * x + 1.5, y


x, y = gen(800)
xv, yv = gen(200)
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for epoch in range(6):
    net.train()
    for b in torch.randperm(800).split(32):
        loss = F.cross_entropy(net(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        o = net(xv)
    print(epoch, "train", loss.item(), "val", F.cross_entropy(o, yv).item(), "acc", (o.argmax(1) == yv).float().mean().item())
