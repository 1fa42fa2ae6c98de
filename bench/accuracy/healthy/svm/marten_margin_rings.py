# fault: none
# family: svm
# split: held
import argparse
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

ap = argparse.ArgumentParser()
ap.add_argument("--features", type=int, default=150)
ap.add_argument("--gamma", type=float, default=1.2)
ap.add_argument("--epochs", type=int, default=15)
args = ap.parse_args()
torch.manual_seed(int(os.environ.get("SEED", 0)))


class FourierSVM(nn.Module):
    """Linear machine on random Fourier features."""

    def __init__(self):
        super().__init__()
        self.register_buffer("w", torch.randn(2, args.features) * (2 * args.gamma) ** 0.5)
        self.register_buffer("b", torch.rand(args.features) * 6.2832)
        self.f = nn.Linear(args.features, 1)
        nn.init.zeros_(self.f.weight)
        nn.init.zeros_(self.f.bias)

    def forward(self, x):
        return self.f(torch.cos(x @ self.w + self.b) * (2 / args.features) ** 0.5 * 4).squeeze(1)


def rings(n):
    y = torch.where(torch.rand(n) < 0.5, 1.0, -1.0)
    r = torch.where(y > 0, 0.6, 1.7) + 0.1 * torch.randn(n)
    a = torch.rand(n) * 6.2832
    return torch.stack([r * a.cos(), r * a.sin()], 1), y


x, y = rings(1200)
xt, yt = rings(400)
svm = FourierSVM()
opt = torch.optim.SGD(svm.parameters(), lr=0.05, weight_decay=1e-5)
for epoch in range(args.epochs):
    total, idle = 0.0, 0
    batches = torch.randperm(len(x)).split(24)
    for b in batches:
        hinge = F.relu(1 - y[b] * svm(x[b])).mean()
        opt.zero_grad()
        hinge.backward()
        opt.step()
        total += hinge.item()
        idle += hinge.item() == 0
    with torch.no_grad():
        acc = (svm(xt).sign() == yt).float().mean()
    print(f"epoch {epoch:2d} hinge {total / len(batches):.4f} batches without violation {idle}/{len(batches)} acc {acc:.3f}")
