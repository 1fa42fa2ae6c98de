# fault: none
# family: genexpr
# split: held
# distil a full-precision teacher into a network with +-1 weights (straight-through estimator) for cell types
import os
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = int(os.environ.get("SEED", 0))
np.random.seed(SEED)
torch.manual_seed(SEED)

GENES, TYPES = 100, 7
prog = np.random.gamma(1.0, 1.0, (TYPES, GENES))
def cells(n):
    t = np.random.randint(0, TYPES, n)
    depth = np.random.lognormal(0, 0.3, (n, 1))
    c = np.random.poisson(0.6 * prog[t] * depth)
    x = np.log1p(c / c.sum(1, keepdims=True) * 100)
    return torch.tensor(x, dtype=torch.float32), torch.tensor(t)

class Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        ctx.save_for_backward(w)
        return torch.where(w >= 0, 1.0, -1.0)
    @staticmethod
    def backward(ctx, g):
        w, = ctx.saved_tensors
        return g * (w.abs() <= 1)          # clipped identity

class BinLinear(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.w = nn.Parameter(torch.empty(o, i).uniform_(-0.3, 0.3))
        self.alpha = nn.Parameter(torch.full((o,), i ** -0.5))
    def forward(self, x):
        return self.alpha * (x @ Sign.apply(self.w).T)

teacher = nn.Sequential(nn.BatchNorm1d(GENES), nn.Linear(GENES, 64), nn.ReLU(), nn.Linear(64, TYPES))
student = nn.Sequential(nn.BatchNorm1d(GENES), BinLinear(GENES, 64), nn.BatchNorm1d(64), nn.Hardtanh(), BinLinear(64, TYPES), nn.BatchNorm1d(TYPES))

X, T = cells(2400)
Xv, Tv = cells(500)
def score(net):
    net.eval()
    with torch.no_grad():
        a = (net(Xv).argmax(1) == Tv).float().mean().item()
    net.train()
    return a

opt = torch.optim.Adam(teacher.parameters(), lr=2e-3)
for ep in range(4):
    for i in torch.randperm(len(X)).split(80):
        opt.zero_grad()
        F.cross_entropy(teacher(X[i]), T[i]).backward()
        opt.step()
print("teacher", score(teacher))

teacher.eval()
for p in teacher.parameters():
    p.requires_grad = False
opt = torch.optim.Adam(student.parameters(), lr=5e-3)
TEMP = 3.0
print("student before", score(student))
for ep in range(6):
    tot = 0
    for i in torch.randperm(len(X)).split(80):
        s, t = student(X[i]), teacher(X[i])
        soft = F.kl_div(F.log_softmax(s / TEMP, 1), F.softmax(t / TEMP, 1), reduction="batchmean") * TEMP ** 2
        loss = 0.7 * soft + 0.3 * F.cross_entropy(s, T[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
        with torch.no_grad():
            for m in student:
                if isinstance(m, BinLinear):
                    m.w.clamp_(-1, 1)
        tot += loss.item()
    print(f"epoch {ep} loss {tot / 30:.3f} student acc {score(student):.3f}")
