# fault: logits-as-probabilities
# cause_class: loss, output-activation
# family: distillation
# split: held
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

seed = int(os.environ.get("SEED", "0"))
torch.manual_seed(seed)

d = load_digits()
X = torch.tensor(d.data, dtype=torch.float32) / 16.0
y = torch.tensor(d.target)
perm = torch.randperm(len(X))
tr, te = perm[:1400], perm[1400:]


def acc(net):
    net.eval()
    with torch.no_grad():
        a = (net(X[te]).argmax(1) == y[te]).float().mean().item()
    net.train()
    return a


def batches(n_epochs, bs=64):
    for _ in range(n_epochs):
        p = tr[torch.randperm(len(tr))]
        for i in range(0, len(p), bs):
            yield p[i:i + bs]


# ---- teacher
teacher = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))
opt = torch.optim.Adam(teacher.parameters(), lr=1e-3)
for b in batches(8):
    loss = F.cross_entropy(teacher(X[b]), y[b])
    opt.zero_grad(); loss.backward(); opt.step()
print("teacher acc", acc(teacher))
teacher.eval()
for p in teacher.parameters():
    p.requires_grad_(False)

# ---- student
T, alpha = 3.0, 0.7
student = nn.Sequential(nn.Linear(64, 24), nn.ReLU(), nn.Linear(24, 10))
opt = torch.optim.Adam(student.parameters(), lr=2e-3)
kd = nn.KLDivLoss(reduction="batchmean")
for i, b in enumerate(batches(15)):
    s = student(X[b])
    with torch.no_grad():
        t = teacher(X[b])
    soft = kd(s / T, F.softmax(t / T, dim=1)) * T * T
    hard = F.cross_entropy(s, y[b])
    loss = alpha * soft + (1 - alpha) * hard
    opt.zero_grad()
    loss.backward()
    opt.step()
    if i % 30 == 0:
        print(f"{i:4d} loss {loss.item():9.3f} soft {soft.item():9.3f} hard {hard.item():.3f}")
print("student acc", acc(student))
