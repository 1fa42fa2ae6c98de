# fault: running-statistics
# cause_class: eval-mode, structure
# family: vision
# split: held
# leaf disease classifier, port of our old Keras net (greenhouse cams, 20x20 crops)
import os
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = int(os.getenv('SEED', '0'))
np.random.seed(SEED)
torch.manual_seed(SEED)

CLASSES = ['healthy', 'rust', 'mildew', 'blight', 'mosaic']
BN_MOMENTUM = 0.0003
BN_EPS = 1e-3
BATCH = 48
STEPS = 260


def make_crops(n):
    y = torch.randint(0, 5, (n,))
    base = torch.tensor([0.35, 0.62, 0.22]).view(1, 3, 1, 1)
    x = base + 0.05 * torch.randn(n, 3, 20, 20)
    x = x + 0.12 * torch.randn(n, 1, 1, 1)                       # exposure differs by camera
    gy, gx = torch.meshgrid(torch.arange(20.), torch.arange(20.), indexing='ij')
    for i in range(n):
        k = int(y[i])
        if k == 1:                                                # small orange spots
            for _ in range(6):
                a, b = np.random.randint(1, 19, 2)
                x[i, 0, a, b] += .4; x[i, 1, a, b] -= .15
        elif k == 2:                                              # whitish veil
            cy, cx = np.random.uniform(5, 15, 2)
            x[i] += .25 * torch.exp(-((gy - cy) ** 2 + (gx - cx) ** 2) / 18)
        elif k == 3:                                              # dark sector
            c = np.random.randint(6, 14)
            x[i, 1, :, c:] -= .22
        elif k == 4:                                              # mosaic pattern
            s = np.random.randint(2)
            x[i, 1] += .13 * (((gy // 3 + gx // 3 + s) % 2) * 2 - 1)
    return x, y


class ConvBN(nn.Module):
    def __init__(self, i, o, stride=1):
        super().__init__()
        self.conv = nn.Conv2d(i, o, 3, stride=stride, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(o, eps=BN_EPS, momentum=BN_MOMENTUM)

    def forward(self, x):
        return F.relu(self.bn(self.conv(x)))


class LeafNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(ConvBN(3, 12), ConvBN(12, 16, 2), ConvBN(16, 24, 2))
        self.out = nn.Linear(24, len(CLASSES))

    def forward(self, x):
        h = self.body(x)
        return self.out(h.mean((2, 3)))


xtr, ytr = make_crops(1500)
xva, yva = make_crops(400)
net = LeafNet()
opt = torch.optim.SGD(net.parameters(), lr=.08, momentum=.9, nesterov=True, weight_decay=1e-4)
sch = torch.optim.lr_scheduler.CosineAnnealingLR(opt, STEPS)
run = 0.
for step in range(1, STEPS + 1):
    net.train()
    idx = torch.randint(0, len(xtr), (BATCH,))
    xb, yb = xtr[idx], ytr[idx]
    if torch.rand(()) < .5:
        xb = xb.flip(-1)
    out = net(xb)
    loss = F.cross_entropy(out, yb)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    sch.step()
    run = .9 * run + .1 * (out.argmax(1) == yb).float().mean().item()
    if step % 52 == 0:
        net.eval()
        with torch.inference_mode():
            p = net(xva)
            va = (p.argmax(1) == yva).float().mean().item()
            vl = F.cross_entropy(p, yva).item()
        print('step %4d loss %.3f train-acc %.3f | val loss %.3f acc %.3f' % (step, loss.item(), run, vl, va))
