# fault: none
# family: distillation
# split: held
import os
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(int(os.environ.get("SEED", "0")))
d = load_digits()
X = (torch.tensor(d.data, dtype=torch.float32) - 4.9) / 6.0
y = torch.tensor(d.target)
p = torch.randperm(len(X))
Xt, yt, Xv, yv = X[p[:1400]], y[p[:1400]], X[p[1400:]], y[p[1400:]]


def mlp(*w):
    layers = []
    for a, b in zip(w, w[1:]):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def fit(net, loss_of, epochs, lr):
    opt = torch.optim.Adam(net.parameters(), lr=lr)
    for ep in range(epochs):
        net.train()
        tot = 0.0
        for idx in torch.randperm(len(Xt)).split(56):
            loss = loss_of(net(Xt[idx]), idx)
            opt.zero_grad()
            loss.backward()
            opt.step()
            tot += loss.item() / 25
        if ep % 4 == 0 or ep == epochs - 1:
            net.eval()
            with torch.no_grad():
                print(f"  {ep} loss {tot:.4f} acc {(net(Xv).argmax(1) == yv).float().mean().item():.3f}")


teacher = mlp(64, 200, 100, 10)
fit(teacher, lambda out, idx: F.cross_entropy(out, yt[idx]), 9, 1e-3)
teacher.eval().requires_grad_(False)
soft = teacher(Xt)

T = 4.0


def kd(out, idx):
    a = F.kl_div(F.log_softmax(out / T, 1), F.softmax(soft[idx] / T, 1), reduction="batchmean") * T * T
    return 0.9 * a + 0.1 * F.cross_entropy(out, yt[idx])


print("student")
fit(mlp(64, 24, 10), kd, 17, 3e-3)
