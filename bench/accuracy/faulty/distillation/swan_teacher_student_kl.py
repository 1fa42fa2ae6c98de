# fault: nll-on-probabilities
# cause_class: loss, output-activation
# family: distillation
# split: held
"""Distil a wide teacher into a narrow student; only soft targets are used."""
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))
CLASSES, DIM = 10, 24
W1, W2 = torch.randn(DIM, 32), torch.randn(32, CLASSES)


def world(n):
    x = torch.randn(n, DIM)
    return x, (torch.tanh(x @ W1 / DIM ** 0.5) @ W2).argmax(1)


def mlp(width, depth):
    dims = [DIM] + [width] * depth
    body = [m for a, b in zip(dims, dims[1:]) for m in (nn.Linear(a, b), nn.ReLU())]
    return nn.Sequential(*body, nn.Linear(width, CLASSES))


class SoftTargetLoss(nn.Module):
    def __init__(self, T=3.0):
        super().__init__()
        self.T = T

    def forward(self, student, teacher):
        p = F.softmax(student / self.T, dim=1)
        q = F.softmax(teacher / self.T, dim=1)
        return F.kl_div(p, q, reduction="batchmean") * self.T ** 2


def accuracy(net, x, y):
    net.eval()
    with torch.no_grad():
        return (net(x).argmax(1) == y).float().mean().item()


x, y = world(4000)
xt, yt = world(1000)

teacher = mlp(192, 2)
opt = torch.optim.AdamW(teacher.parameters(), lr=2e-3, weight_decay=0.05)
for ep in range(4):
    teacher.train()
    for i in torch.randperm(len(x)).split(64):
        loss = F.cross_entropy(teacher(x[i]), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"teacher loss {loss.item():.3f} accuracy {accuracy(teacher, xt, yt):.3f}")

teacher.requires_grad_(False).eval()
student, criterion = mlp(48, 1), SoftTargetLoss()
opt = torch.optim.AdamW(student.parameters(), lr=3e-3)
for ep in range(10):
    student.train()
    tot = 0.0
    for i in torch.randperm(len(x)).split(64):
        with torch.no_grad():
            soft = teacher(x[i])
        loss = criterion(student(x[i]), soft)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() * len(i) / len(x)
    print(f"student epoch {ep} kd {tot:.4f} accuracy {accuracy(student, xt, yt):.3f}")
