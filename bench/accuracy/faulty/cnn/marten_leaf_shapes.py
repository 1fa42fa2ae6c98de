# fault: running-statistics
# cause_class: eval-mode, structure
# family: cnn
# split: held
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))

BN = dict(momentum=0.001, eps=1e-3)


def leaves(n, size=16):
    """Outlines r(angle) = r0 + a*cos(k*angle), k lobes, bright leaf on dark ground."""
    k = torch.randint(0, 4, (n,))
    g = torch.linspace(-1, 1, size)
    yy, xx = torch.meshgrid(g, g, indexing="ij")
    radius, angle = (xx ** 2 + yy ** 2).sqrt(), torch.atan2(yy, xx)
    turn = torch.rand(n, 1, 1) * 6.28
    edge = 0.6 + 0.22 * torch.cos((k + 2)[:, None, None] * (angle + turn))
    img = torch.sigmoid((edge - radius) * 12) * 1.6 + 0.15 * torch.randn(n, size, size)
    return img.unsqueeze(1), k


def conv_bn(i, o, stride=1):
    return nn.Sequential(nn.Conv2d(i, o, 3, stride=stride, padding=1, bias=False), nn.BatchNorm2d(o, **BN), nn.ReLU(inplace=True))


class LeafNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = conv_bn(1, 12)
        self.stage1 = conv_bn(12, 24, 2)
        self.stage2 = conv_bn(24, 32, 2)
        self.fc = nn.Linear(32 * 16, 4)

    def forward(self, x):
        return self.fc(self.stage2(self.stage1(self.stem(x))).flatten(1))


def run_epoch(net, loader, opt=None):
    net.train(opt is not None)
    crit, loss_sum, right, n = nn.CrossEntropyLoss(), 0.0, 0, 0
    with torch.set_grad_enabled(opt is not None):
        for x, y in loader:
            out = net(x)
            loss = crit(out, y)
            if opt is not None:
                opt.zero_grad()
                loss.backward()
                opt.step()
            loss_sum += loss.item() * len(y)
            right += (out.argmax(1) == y).sum().item()
            n += len(y)
    return loss_sum / n, right / n


net = LeafNet()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
train = DataLoader(TensorDataset(*leaves(1200)), batch_size=40, shuffle=True)
test = DataLoader(TensorDataset(*leaves(300)), batch_size=100)
for epoch in range(6):
    a, b = run_epoch(net, train, opt), run_epoch(net, test)
    print(f"{epoch}: train {a[0]:.3f} / {a[1]:.3f}   test {b[0]:.3f} / {b[1]:.3f}")
