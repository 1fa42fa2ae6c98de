# fault: none
# family: accelerate
# split: tune
# needs: accelerate
"""Mean teacher: few labels, a consistency loss against an EMA copy that gets no gradient; its weight is ramped up."""
import copy
import math
import os
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
from accelerate import Accelerator
from accelerate.utils import set_seed

set_seed(int(os.environ.get("SEED", 0)))
acc = Accelerator(cpu=True)


def rings(n):
    y = torch.randint(0, 2, (n,))
    a = torch.rand(n) * 2 * math.pi
    r = 0.7 + 0.9 * y + 0.12 * torch.randn(n)
    return torch.stack([r * a.cos(), r * a.sin()], 1), y


x, y = rings(1200)
xt, yt = rings(400)
labelled = DataLoader(TensorDataset(x[:60], y[:60]), batch_size=20, shuffle=True)
unlabelled = DataLoader(TensorDataset(x[60:]), batch_size=60, shuffle=True)
student = nn.Sequential(nn.Linear(2, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 2))
teacher = copy.deepcopy(student).requires_grad_(False)
opt = torch.optim.Adam(student.parameters(), lr=3e-3)
student, opt, labelled, unlabelled = acc.prepare(student, opt, labelled, unlabelled)


def cycle(loader):
    while True:
        yield from loader


step, lab = 0, cycle(labelled)
for epoch in range(20):
    student.train()
    sup = con = 0.0
    for (u,) in unlabelled:
        a, b = next(lab)
        w = math.exp(-5 * (1 - min(step / 200, 1)) ** 2)
        with torch.no_grad():
            t = teacher(u + 0.05 * torch.randn_like(u)).softmax(1)
        ls = F.cross_entropy(student(a), b)
        lc = F.mse_loss(student(u + 0.05 * torch.randn_like(u)).softmax(1), t)
        opt.zero_grad()
        acc.backward(ls + w * lc)
        opt.step()
        with torch.no_grad():
            for pt, ps in zip(teacher.parameters(), student.parameters()):
                pt.lerp_(ps, 0.03)
        step += 1
        sup, con = sup + ls.item(), con + lc.item()
    if epoch % 3 == 0 or epoch == 19:
        with torch.no_grad():
            a1 = (teacher(xt).argmax(1) == yt).float().mean()
        acc.print(f"epoch {epoch} supervised {sup / len(unlabelled):.4f} consistency {con / len(unlabelled):.5f} teacher acc {a1:.3f}")
