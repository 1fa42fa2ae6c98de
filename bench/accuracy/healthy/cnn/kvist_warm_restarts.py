# fault: none
# family: cnn
# split: held
# needs: sklearn
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.optim.lr_scheduler import CosineAnnealingWarmRestarts

torch.manual_seed(int(os.environ.get("SEED", 0)))
d = load_digits()
x = torch.tensor(d.images, dtype=torch.float32)[:, None] / 8 - 1
y = torch.tensor(d.target)
p = torch.randperm(len(x))
tr, te = p[:1400], p[1400:]


class Residual(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.a, self.b = nn.Conv2d(c, c, 3, padding=1), nn.Conv2d(c, c, 3, padding=1)
        self.na, self.nb = nn.BatchNorm2d(c), nn.BatchNorm2d(c)

    def forward(self, v):
        return F.relu(v + self.nb(self.b(F.relu(self.na(self.a(v))))))


net = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), Residual(16), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(256, 10))
opt = torch.optim.SGD(net.parameters(), lr=0.03, momentum=0.9, weight_decay=5e-4, nesterov=True)
sched = CosineAnnealingWarmRestarts(opt, T_0=44, T_mult=2, eta_min=1e-4)
for epoch in range(7):
    net.train()
    tot = 0.0
    batches = tr[torch.randperm(1400)].split(32)
    for b in batches:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = F.cross_entropy(net(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        tot += loss.item()
    net.eval()
    with torch.no_grad():
        acc = (net(x[te]).argmax(1) == y[te]).float().mean().item()
    print(f"epoch {epoch} loss {tot / len(batches):.4f} acc {acc:.4f} lr {opt.param_groups[0]['lr']:.4f}")
