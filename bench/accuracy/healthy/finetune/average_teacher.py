# fault: none
# family: finetune
# split: held
"""Few labels, many unlabelled points; the teacher is the running average of the student."""
import copy
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
c = torch.randn(4, 16)


def points(n):
    y = torch.randint(4, (n,))
    return c[y] + 0.9 * torch.randn(n, 16), y


xl, yl = points(200)
xu, _ = points(3000)
xv, yv = points(600)
student = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 4))
teacher = copy.deepcopy(student)
for p in teacher.parameters():
    p.requires_grad_(False)
teacher.eval()
opt = torch.optim.AdamW(student.parameters(), lr=1e-3, weight_decay=0.05)
for step in range(1, 501):
    student.train()
    b, u = torch.randint(200, (32,)), torch.randint(3000, (64,))
    sup = F.cross_entropy(student(xl[b] + 0.3 * torch.randn(32, 16)), yl[b])
    with torch.no_grad():
        t = teacher(xu[u]).softmax(1)
    cons = F.mse_loss(student(xu[u] + 0.3 * torch.randn(64, 16)).softmax(1), t)
    loss = sup + 3.0 * min(1, step / 200) * cons
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for a, s in zip(teacher.parameters(), student.parameters()):
            a.lerp_(s, 0.01 if step > 50 else 0.1)
    if step % 50 == 0:
        with torch.no_grad():
            o = teacher(xv)
        print(f"step {step} supervised {sup.item():.4f} consistency {cons.item():.4f} teacher val {F.cross_entropy(o, yv).item():.4f} acc {(o.argmax(1) == yv).float().mean().item():.3f}")
