# fault: running-statistics
# cause_class: eval-mode, structure, regularisation
# family: cnn
# split: held
# texture classifier, layer settings ported from the authors' TensorFlow code
import math
import os
from functools import partial

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))

HP = {"width": 12, "bn": {"momentum": 1 - 0.9999, "eps": 1e-3}, "lr": 3e-3, "epochs": 8, "batch": 64}


def textures(n, s=20):
    y = torch.randint(0, 4, (n,))
    yy, xx = torch.meshgrid(torch.arange(s).float(), torch.arange(s).float(), indexing="ij")
    ang = y * math.pi / 4 + 0.12 * torch.randn(n)
    f = 0.8 + 0.4 * torch.rand(n)
    ph = 6.28 * torch.rand(n)
    arg = f[:, None, None] * (xx * ang.cos()[:, None, None] + yy * ang.sin()[:, None, None]) + ph[:, None, None]
    x = torch.sin(arg) + 0.8 * torch.randn(n, s, s)
    return ((x - x.mean()) / x.std())[:, None], y


norm = partial(nn.BatchNorm2d, **HP["bn"])


class ConvUnit(nn.Module):
    def __init__(self, i, o, stride=1):
        super().__init__()
        self.conv = nn.Conv2d(i, o, 3, stride, 1, bias=False)
        self.bn = norm(o)

    def forward(self, x):
        return F.relu(self.bn(self.conv(x)))


class ResUnit(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.a, self.b = ConvUnit(c, c), nn.Conv2d(c, c, 3, 1, 1, bias=False)
        self.bn = norm(c)

    def forward(self, x):
        return F.relu(x + self.bn(self.b(self.a(x))))


def make_net(w):
    return nn.Sequential(ConvUnit(1, w, 2), ResUnit(w), ConvUnit(w, 2 * w, 2), ResUnit(2 * w),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2 * w, 4))


def epoch_of(x, y, batch):
    for idx in torch.randperm(len(x)).split(batch):
        yield x[idx], y[idx]


def evaluate(net, x, y):
    net.eval()
    with torch.inference_mode():
        out = net(x)
        res = F.cross_entropy(out, y).item(), (out.argmax(1) == y).float().mean().item()
    net.train()
    return res


xtr, ytr = textures(960)
xva, yva = textures(240)
net = make_net(HP["width"])
opt = torch.optim.AdamW(net.parameters(), lr=HP["lr"], weight_decay=1e-3)
for epoch in range(HP["epochs"]):
    losses, hits = [], 0
    for xb, yb in epoch_of(xtr, ytr, HP["batch"]):
        out = net(xb)
        loss = F.cross_entropy(out, yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
        hits += (out.argmax(1) == yb).sum().item()
    vl, va = evaluate(net, xva, yva)
    print(f"{epoch} train {sum(losses) / len(losses):.4f}/{hits / len(xtr):.3f} val {vl:.4f}/{va:.3f}")
