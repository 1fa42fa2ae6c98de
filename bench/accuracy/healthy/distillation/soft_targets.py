# fault: none
# family: distillation
# split: tune
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
T, ALPHA = 5.0, 0.9


def moons(n, k=4):
    y = torch.randint(0, k, (n,))
    t = torch.rand(n) * 2.5
    a = t + y * 6.2832 / k
    return torch.stack([(0.3 + t) * a.cos(), (0.3 + t) * a.sin()], 1) / 1.5 + 0.05 * torch.randn(n, 2), y


def mlp(w, depth):
    layers = [nn.Linear(2, w), nn.ReLU()]
    for _ in range(depth):
        layers += [nn.Linear(w, w), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(w, 4))


def evaluate(m, x, y):
    m.eval()
    with torch.no_grad():
        return round((m(x).argmax(1) == y).float().mean().item(), 3)


xtr, ytr = moons(1500)
xte, yte = moons(500)
teacher = mlp(96, 2)
opt = torch.optim.Adam(teacher.parameters(), lr=3e-3)
for epoch in range(15):
    teacher.train()
    for idx in torch.randperm(1500).split(50):
        loss = F.cross_entropy(teacher(xtr[idx]), ytr[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
print("teacher", evaluate(teacher, xte, yte))
teacher.requires_grad_(False)

student = mlp(24, 1)
opt = torch.optim.Adam(student.parameters(), lr=5e-3)
for epoch in range(20):
    student.train()
    tot = 0.0
    for idx in torch.randperm(1500).split(50):
        s = student(xtr[idx])
        soft = F.kl_div(F.log_softmax(s / T, 1), F.softmax(teacher(xtr[idx]) / T, 1), reduction="batchmean") * T * T
        loss = ALPHA * soft + (1 - ALPHA) * F.cross_entropy(s, ytr[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    if epoch % 4 == 3:
        print(f"epoch {epoch} loss {tot / 30:.4f} student {evaluate(student, xte, yte)}")
