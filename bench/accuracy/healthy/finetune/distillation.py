# fault: none
# family: finetune
# split: tune
# Knowledge distillation: the teacher stays in eval() under no_grad, the student learns from soft targets.
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))

w = torch.randn(10, 5)


def data(n):
    x = torch.randn(n, 10)
    return x, (x @ w + 0.5 * (x**2) @ w.flip(1)).argmax(1)


teacher = nn.Sequential(nn.Linear(10, 128), nn.ReLU(), nn.Linear(128, 5))
opt = torch.optim.Adam(teacher.parameters(), lr=5e-3)
for _ in range(150):
    x, y = data(128)
    loss = F.cross_entropy(teacher(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
teacher.eval()

student = nn.Sequential(nn.Linear(10, 24), nn.ReLU(), nn.Linear(24, 5))
opt = torch.optim.Adam(student.parameters(), lr=5e-3)
T, alpha, out = 3.0, 0.7, []
for _ in range(200):
    x, y = data(128)
    with torch.no_grad():
        soft = F.softmax(teacher(x) / T, dim=1)
    z = student(x)
    kd = F.kl_div(F.log_softmax(z / T, dim=1), soft, reduction="batchmean") * T * T
    loss = alpha * kd + (1 - alpha) * F.cross_entropy(z, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    out.append(loss.item())
print(f"loss first {out[0]:.4f} last {out[-1]:.4f}")
