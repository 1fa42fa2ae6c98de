# fault: none
# family: finetune
# split: tune
# Pre-training with Adam 1e-3, then fine-tuning all of it with Adam 1e-5: a tiny learning rate that is meant.
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))

protos = torch.randn(6, 20)


def task(n, shift):
    y = torch.randint(0, 6, (n,))
    return protos[y] + shift + 0.9 * torch.randn(n, 20), y


def train(model, opt, x, y, steps):
    ce = nn.CrossEntropyLoss()
    out = []
    for _ in range(steps):
        i = torch.randint(0, len(x), (64,))
        loss = ce(model(x[i]), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
        out.append(loss.item())
    return out


model = nn.Sequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 6))
x, y = task(2000, 0.0)
pre = train(model, torch.optim.Adam(model.parameters(), lr=1e-3), x, y, 120)
x2, y2 = task(600, 0.8 * torch.randn(20))
fine = train(model, torch.optim.Adam(model.parameters(), lr=1e-5), x2, y2, 250)
print(f"fine-tuning {sum(fine[:20]) / 20:.4f} to {sum(fine[-20:]) / 20:.4f}")
print(f"loss first {pre[0]:.4f} last {fine[-1]:.4f}")
