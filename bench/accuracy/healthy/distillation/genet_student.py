# fault: none
# family: distillation
# split: held
import os, torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
centres = torch.randn(6, 3, 10)                         # every gesture has three variants


def emg(n):
    y = torch.randint(0, 6, (n,))
    return centres[y, torch.randint(0, 3, (n,))] * 1.3 + 0.7 * torch.randn(n, 10), y


def mlp(h):
    return nn.Sequential(nn.Linear(10, h), nn.ReLU(), nn.Dropout(0.1), nn.Linear(h, h), nn.ReLU(), nn.Linear(h, 6))


def acc(m, x, y):
    m.eval()
    with torch.no_grad():
        return (m(x).argmax(1) == y).float().mean().item()


xv, yv = emg(600)
teacher, student = mlp(96), mlp(20)
opt = torch.optim.Adam(teacher.parameters(), lr=2e-3)
for i in range(350):
    teacher.train()
    x, y = emg(64)
    loss = F.cross_entropy(teacher(x), y, label_smoothing=0.2)
    opt.zero_grad(); loss.backward(); opt.step()
print(f"teacher: loss {loss.item():.3f} acc {acc(teacher, xv, yv):.3f}")

teacher.eval().requires_grad_(False)
T = 4.0
opt = torch.optim.Adam(student.parameters(), lr=4e-3)
for i in range(501):
    if i % 100 == 0:
        print(f"student {i:4d} acc {acc(student, xv, yv):.3f}")
    student.train()
    x, y = emg(64)
    s = student(x)
    kd = F.kl_div(F.log_softmax(s / T, 1), F.softmax(teacher(x) / T, 1), reduction="batchmean") * T * T
    loss = 0.8 * kd + 0.2 * F.cross_entropy(s, y)
    opt.zero_grad(); loss.backward(); opt.step()
