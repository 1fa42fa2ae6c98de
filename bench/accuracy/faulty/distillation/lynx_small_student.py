# fault: nll-on-probabilities
# cause_class: output-activation, loss
# family: distillation
# split: held
# needs: numpy, sklearn
import os
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

SEED = int(os.environ.get('SEED', 0))
np.random.seed(SEED)
torch.manual_seed(SEED)

T = 4.0          # temperature, Hinton et al.
ALPHA = 0.9      # weight of the soft part

digits = load_digits()
X = torch.tensor(digits.data, dtype=torch.float32) / 16 - 0.3
Y = torch.tensor(digits.target)
idx = torch.randperm(len(X))
Xtr, Ytr, Xte, Yte = X[idx[:1400]], Y[idx[:1400]], X[idx[1400:]], Y[idx[1400:]]


def loader(bs=50):
    order = torch.randperm(len(Xtr))
    for i in range(0, len(order), bs):
        j = order[i:i + bs]
        yield Xtr[j], Ytr[j]


def accuracy(net):
    net.eval()
    with torch.no_grad():
        a = (net(Xte).argmax(1) == Yte).float().mean().item()
    net.train()
    return a


#### teacher ####
teacher = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Dropout(0.3), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10))
opt = torch.optim.Adam(teacher.parameters(), lr=1e-3)
for ep in range(8):
    for x, y in loader():
        opt.zero_grad()
        F.cross_entropy(teacher(x), y, label_smoothing=0.1).backward()
        opt.step()
print('teacher acc', accuracy(teacher))
teacher.eval()
for p in teacher.parameters():
    p.requires_grad_(False)

#### student ####
student = nn.Sequential(nn.Linear(64, 24), nn.ReLU(), nn.Linear(24, 10))
kd = nn.KLDivLoss(reduction='batchmean')
opt = torch.optim.Adam(student.parameters(), lr=2e-3)


def distill_step(x, y):
    with torch.no_grad():
        soft_targets = F.softmax(teacher(x) / T, dim=1)
    out = student(x)
    soft = kd(F.softmax(out / T, dim=1), soft_targets) * T * T
    hard = F.cross_entropy(out, y)
    return ALPHA * soft + (1 - ALPHA) * hard, soft, hard


for ep in range(12):
    for x, y in loader():
        loss, soft, hard = distill_step(x, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print('epoch %2d  total %.3f  soft %.3f  hard %.3f  acc %.3f' % (ep, loss.item(), soft.item(), hard.item(), accuracy(student)))
