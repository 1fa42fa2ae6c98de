# fault: none
# family: vision
# split: held
# set: heron, unseen
# metric: accuracy higher
# baseline: 0.11
# reaches: 0.88
# Unusual: distillation at temperature 4; the student's loss is a scaled KL that stops well above zero; the teacher is frozen and only 12 hidden units serve the student
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)
X, y = load_digits(return_X_y=True)
xtr, xte, ytr, yte = train_test_split(X / 16.0, y, test_size=0.3, random_state=SEED, stratify=y)
xtr, xte = torch.tensor(xtr).float(), torch.tensor(xte).float()
ytr, yte = torch.tensor(ytr), torch.tensor(yte)


def minibatches(n, size):
    perm = torch.randperm(n)
    return [perm[i : i + size] for i in range(0, n, size)]


def accuracy(net, x, t):
    net.eval()
    with torch.no_grad():
        return (net(x).argmax(1) == t).float().mean().item()


teacher = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Dropout(0.3), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))
opt = torch.optim.Adam(teacher.parameters(), lr=2e-3)
for epoch in range(20):
    teacher.train()
    for i in minibatches(len(xtr), 64):
        loss = F.cross_entropy(teacher(xtr[i]), ytr[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
print(f"teacher accuracy {accuracy(teacher, xte, yte):.4f}")
teacher.requires_grad_(False)
teacher.eval()

student = nn.Sequential(nn.Linear(64, 12), nn.ReLU(), nn.Linear(12, 10))
opt = torch.optim.Adam(student.parameters(), lr=1e-2)
T, mix = 4.0, 0.9
for epoch in range(30):
    student.train()
    total = 0.0
    for i in minibatches(len(xtr), 64):
        noisy = xtr[i] + 0.05 * torch.randn_like(xtr[i])
        s = student(noisy)
        soft = F.kl_div(F.log_softmax(s / T, 1), F.softmax(teacher(noisy) / T, 1), reduction="batchmean") * T * T
        loss = mix * soft + (1 - mix) * F.cross_entropy(s, ytr[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(i)
    if epoch % 5 == 4:
        print(f"epoch {epoch + 1} distillation loss {total / len(xtr):.4f}")
print(f"result: accuracy {accuracy(student, xte, yte):.4f}")
