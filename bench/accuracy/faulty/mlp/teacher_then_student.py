# fault: zero-grad
# cause_class: zero-grad, optimizer
# family: mlp
# split: tune
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
w = torch.randn(16, 6)
X = torch.randn(3000, 16)
Y = (X @ w + 0.5 * torch.randn(3000, 6)).argmax(1)


def batches(n=100):
    for idx in torch.randperm(len(X)).split(n):
        yield X[idx], Y[idx]


def make(width):
    return nn.Sequential(nn.Linear(16, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 6))


def fit_teacher():
    net = make(96)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for _ in range(6):
        for x, y in batches():
            loss = F.cross_entropy(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
    print("teacher", loss.item())
    return net.eval()


def fit_student(teacher, T=2.0):
    net = make(24)
    opt = torch.optim.SGD(net.parameters(), lr=0.05)
    for epoch in range(6):
        for x, y in batches():
            with torch.no_grad():
                soft = F.softmax(teacher(x) / T, dim=1)
            out = net(x)
            loss = T * T * F.kl_div(F.log_softmax(out / T, dim=1), soft, reduction="batchmean") + 0.5 * F.cross_entropy(out, y)
            loss.backward()
            opt.step()
        print("student", epoch, loss.item())
    return net


fit_student(fit_teacher())
