# fault: nll-on-probabilities
# cause_class: output-activation, loss
# family: distillation
# split: tune
# needs: sklearn
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))
TEMPERATURE = 4.0

d = load_digits()
x = torch.tensor(d.data, dtype=torch.float32) / 8 - 1
y = torch.tensor(d.target)
p = torch.randperm(len(x))
xtr, ytr, xte, yte = x[p[:1400]], y[p[:1400]], x[p[1400:]], y[p[1400:]]
loader = DataLoader(TensorDataset(xtr, ytr), batch_size=50, shuffle=True)


def net(h):
    return nn.Sequential(nn.Linear(64, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU(), nn.Linear(h, 10))


def test(m):
    m.eval()
    with torch.no_grad():
        out = m(xte)
        return (out.argmax(1) == yte).float().mean().item(), F.cross_entropy(out, yte).item()


def train_teacher(m, epochs=8):
    opt = torch.optim.Adam(m.parameters(), lr=2e-3)
    for _ in range(epochs):
        m.train()
        for a, b in loader:
            opt.zero_grad()
            F.cross_entropy(m(a), b).backward()
            opt.step()
    print("teacher", test(m))


def kd_loss(student_logits, teacher_logits, t):
    s = F.softmax(student_logits / t, dim=1)
    q = F.softmax(teacher_logits / t, dim=1)
    return F.kl_div(s, q, reduction="batchmean") * t * t


def distill(student, teacher, epochs=15):
    teacher.eval()
    opt = torch.optim.Adam(student.parameters(), lr=1e-3)
    for e in range(epochs):
        student.train()
        tot = 0.0
        for a, _ in loader:
            with torch.no_grad():
                target = teacher(a)
            loss = kd_loss(student(a), target, TEMPERATURE)
            opt.zero_grad()
            loss.backward()
            opt.step()
            tot += loss.item()
        if e % 3 == 2:
            print(f"epoch {e} kd {tot / len(loader):.3f} student (acc, nll) {test(student)}")


big, small = net(128), net(12)
train_teacher(big)
distill(small, big)
