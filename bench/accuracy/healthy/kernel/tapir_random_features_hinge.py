# fault: none
# family: kernel
# split: held
"""Random Fourier features under a linear SVM: only the last layer learns, one sample at a time."""
import math
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


def rings(n):
    y = torch.where(torch.rand(n) < 0.5, -1.0, 1.0)
    r = torch.where(y > 0, 0.7, 1.6) + 0.12 * torch.randn(n)
    a = 2 * math.pi * torch.rand(n)
    return torch.stack([r * a.cos(), r * a.sin()], 1), y


class RFF(nn.Module):
    def __init__(self, d, m, gamma=1.0):
        super().__init__()
        self.register_buffer("w", math.sqrt(2 * gamma) * torch.randn(d, m))
        self.register_buffer("b", 2 * math.pi * torch.rand(m))

    def forward(self, x):
        return math.sqrt(2 / self.w.shape[1]) * torch.cos(x @ self.w + self.b)


features, svm = RFF(2, 200), nn.Linear(200, 1)
nn.init.zeros_(svm.weight)
opt = torch.optim.SGD(svm.parameters(), lr=2.0)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda k: 1 / (1 + k / 300))
x, y = rings(1600)
vx, vy = rings(500)
seen = []
for i in torch.randperm(len(x)).tolist():
    margin = y[i] * svm(features(x[i:i + 1])).squeeze()
    loss = torch.relu(1 - margin)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    seen.append(loss.item())
    if len(seen) % 200 == 0:
        with torch.no_grad():
            acc = (svm(features(vx)).squeeze(1).sign() == vy).float().mean().item()
        print(f"{len(seen)} hinge {sum(seen[-200:]) / 200:.4f} accuracy {acc:.3f}")
