# fault: none
# family: mlp
# split: held
# needs: sklearn
import math
import os

import torch
from sklearn.datasets import load_iris

torch.manual_seed(int(os.environ.get("SEED", 0)))
iris = load_iris()
x = torch.tensor(iris.data, dtype=torch.float32)
x = (x - x.mean(0)) / x.std(0)
y = torch.tensor(iris.target)
p = torch.randperm(150)
xt, yt, xv, yv = x[p[:120]], y[p[:120]], x[p[120:]], y[p[120:]]

w1 = (torch.randn(4, 24) / math.sqrt(4)).requires_grad_()
b1 = torch.zeros(24, requires_grad=True)
w2 = (torch.randn(24, 3) / math.sqrt(24)).requires_grad_()
b2 = torch.zeros(3, requires_grad=True)
params = [w1, b1, w2, b2]
velocity = [torch.zeros_like(v) for v in params]


def forward(v):
    return torch.relu(v @ w1 + b1) @ w2 + b2


for epoch in range(30):
    for b in torch.randperm(120).split(12):
        loss = torch.nn.functional.cross_entropy(forward(xt[b]), yt[b])
        grads = torch.autograd.grad(loss, params)
        with torch.no_grad():
            for v, g, m in zip(params, grads, velocity):
                m.mul_(0.8).add_(g)
                v -= 0.03 * m
    if epoch % 5 == 4:
        with torch.no_grad():
            print(epoch + 1, round(loss.item(), 4), "val acc", (forward(xv).argmax(1) == yv).float().mean().item())
