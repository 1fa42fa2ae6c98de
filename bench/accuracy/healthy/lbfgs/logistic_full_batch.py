# fault: none
# family: lbfgs
# split: tune
# needs: sklearn
import os

import torch
import torch.nn.functional as F
from sklearn.datasets import load_breast_cancer

torch.manual_seed(int(os.environ.get("SEED", 0)))
data = load_breast_cancer()
x = torch.tensor(data.data, dtype=torch.float64)
y = torch.tensor(data.target, dtype=torch.float64)
order = torch.randperm(len(x))
x, y = x[order], y[order]
mean, std = x[:400].mean(0), x[:400].std(0)
x = (x - mean) / std

net = torch.nn.Sequential(torch.nn.Linear(30, 6), torch.nn.Tanh(), torch.nn.Linear(6, 1)).double()
opt = torch.optim.LBFGS(net.parameters(), lr=1.0, max_iter=2, history_size=20, line_search_fn="strong_wolfe")
L2 = 3e-3


def objective():
    penalty = sum((p ** 2).sum() for p in net.parameters() if p.dim() > 1)
    return F.binary_cross_entropy_with_logits(net(x[:400]).squeeze(1), y[:400]) + L2 * penalty


def closure():
    opt.zero_grad()
    loss = objective()
    loss.backward()
    return loss


for k in range(70):
    loss = opt.step(closure)
    if k % 7 == 6:
        with torch.no_grad():
            out = net(x[400:]).squeeze(1)
            print(f"{k + 1} loss {loss.item():.6f} test {F.binary_cross_entropy_with_logits(out, y[400:]):.4f} acc {((out > 0) == (y[400:] > 0.5)).double().mean():.3f}")
