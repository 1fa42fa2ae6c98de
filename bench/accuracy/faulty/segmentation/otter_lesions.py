# fault: softmax-one-unit
# cause_class: output-activation, loss
# family: segmentation
# split: tune
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
N_CLASSES = 1


def block(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU())


class SmallUNet(nn.Module):
    def __init__(self, n_classes):
        super().__init__()
        self.d1, self.d2 = block(1, 8), block(8, 16)
        self.u1 = block(24, 8)
        self.last = nn.Conv2d(8, n_classes, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(F.max_pool2d(a, 2))
        b = F.interpolate(b, scale_factor=2)
        return self.last(self.u1(torch.cat([a, b], 1)))


def scan(n, s=16):
    g = torch.arange(s).float()
    c = torch.rand(n, 2, 1, 1) * 8 + 4
    r = torch.rand(n, 1, 1) * 2 + 2
    m = ((g[None, :, None] - c[:, 0]) ** 2 + (g[None, None, :] - c[:, 1]) ** 2 < r ** 2).float()
    m = m[:, None]
    return m + 0.4 * torch.randn_like(m), m


def dice_loss(p, m):
    inter = (p * m).sum((1, 2, 3))
    return 1 - ((2 * inter + 1) / (p.sum((1, 2, 3)) + m.sum((1, 2, 3)) + 1)).mean()


net = SmallUNet(N_CLASSES)
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for it in range(160):
    x, m = scan(8)
    prob = net(x).softmax(dim=1)
    loss = dice_loss(prob, m)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 20 == 0:
        net.eval()
        with torch.no_grad():
            vx, vm = scan(16)
            d = 1 - dice_loss(net(vx).softmax(1), vm)
        net.train()
        print(it, "dice loss %.4f" % loss.item(), "val dice %.4f" % d.item())
