# fault: none
# family: cnn
# split: held
"""Oriented gratings with mixup, SGDR and a dropout that is annealed away."""
import math
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))


def gratings(n, s=16, k=6):
    y = torch.randint(0, k, (n,))
    g = torch.arange(s).float() - s / 2
    a = (y * math.pi / k)[:, None, None] + 0.08 * torch.randn(n, 1, 1)
    ph = 6.28 * torch.rand(n, 1, 1)
    x = torch.cos(0.9 * (g[None, :, None] * a.sin() + g[None, None, :] * a.cos()) + ph)
    return (x + 0.7 * torch.randn(n, s, s))[:, None], y


class Net(nn.Module):
    def __init__(self, k=6, w=16):
        super().__init__()
        self.c1, self.b1 = nn.Conv2d(1, w, 5, padding=2), nn.BatchNorm2d(w)
        self.c2, self.b2 = nn.Conv2d(w, 2 * w, 3, stride=2, padding=1), nn.BatchNorm2d(2 * w)
        self.drop = nn.Dropout(0.4)
        self.fc = nn.Linear(2 * w, k)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.b1(self.c1(x))), 2)
        x = F.relu(self.b2(self.c2(x)))
        return self.fc(self.drop(x.mean((2, 3))))


def mixup(x, y, beta):
    lam = beta.sample().item()
    perm = torch.randperm(len(x))
    return lam * x + (1 - lam) * x[perm], y, y[perm], lam


(xt, yt), (xv, yv) = gratings(1280), gratings(320)
net = Net()
decay = [p for p in net.parameters() if p.dim() > 1]
rest = [p for p in net.parameters() if p.dim() <= 1]
opt = torch.optim.SGD([{"params": decay, "weight_decay": 5e-4}, {"params": rest}], lr=0.1, momentum=0.9, nesterov=True)
sched = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, T_0=60, T_mult=2, eta_min=1e-4)
beta = torch.distributions.Beta(0.3, 0.3)
EPOCHS = 9
for epoch in range(EPOCHS):
    net.train()
    net.drop.p = 0.4 * (1 - epoch / EPOCHS)
    tot = 0.0
    for idx in torch.randperm(len(xt)).split(64):
        x, ya, yb, lam = mixup(xt[idx], yt[idx], beta)
        out = net(x)
        loss = lam * F.cross_entropy(out, ya, label_smoothing=0.05) + (1 - lam) * F.cross_entropy(out, yb, label_smoothing=0.05)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        tot += loss.item() / 20
    net.eval()
    with torch.no_grad():
        o = net(xv)
    print(f"{epoch} mixed loss {tot:.3f} val {F.cross_entropy(o, yv):.3f} acc {(o.argmax(1) == yv).float().mean():.3f} "
          f"lr {sched.get_last_lr()[0]:.4f} p {net.drop.p:.2f}")
