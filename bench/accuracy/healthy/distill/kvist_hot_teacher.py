# fault: none
# family: distill
# split: held
# needs: sklearn
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(int(os.environ.get("SEED", 0)))
d = load_digits()
x = torch.tensor(d.data, dtype=torch.float32)
x = (x - x.mean()) / x.std()
y = torch.tensor(d.target)
perm = torch.randperm(len(x))
x, y = x[perm], y[perm]
N = 1350


def loop(model, loss_of, epochs, lr, name):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    for e in range(epochs):
        model.train()
        s = 0.0
        for b in torch.randperm(N).split(30):
            loss = loss_of(model(x[b]), b)
            opt.zero_grad()
            loss.backward()
            opt.step()
            s += loss.item() * 30 / N
        model.eval()
        with torch.no_grad():
            print(f"{name} {e} loss {s:.4f} test acc {(model(x[N:]).argmax(1) == y[N:]).float().mean().item():.3f}")


teacher = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Dropout(0.3), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10))
loop(teacher, lambda o, b: F.cross_entropy(o, y[b]), 6, 1e-3, "teacher")
teacher.eval().requires_grad_(False)
soft = teacher(x[:N])
T = 4.0


def kd(out, b):
    kl = F.kl_div(F.log_softmax(out / T, 1), F.log_softmax(soft[b] / T, 1), reduction="batchmean", log_target=True)
    return 0.9 * T * T * kl + 0.1 * F.cross_entropy(out, y[b])


loop(nn.Sequential(nn.Linear(64, 20), nn.ReLU(), nn.Linear(20, 10)), kd, 10, 3e-3, "student")
