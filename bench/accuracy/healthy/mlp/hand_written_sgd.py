# fault: none
# family: mlp
# split: tune
# needs: sklearn
"""Everything by hand, the weights as plain tensors and the momentum in a list."""
import os

import torch
from sklearn.datasets import load_wine

g = torch.Generator().manual_seed(int(os.environ.get("SEED", 0)))
wine = load_wine()
x = torch.tensor(wine.data, dtype=torch.float32)
y = torch.tensor(wine.target)
p = torch.randperm(len(x), generator=g)
x, y = x[p], y[p]
xt, yt, xv, yv = x[:130], y[:130], x[130:], y[130:]
m, s = xt.mean(0), xt.std(0)
xt, xv = (xt - m) / s, (xv - m) / s


def glorot(i, o):
    return (torch.randn(i, o, generator=g) * (2.0 / (i + o)) ** 0.5).requires_grad_()


params = [glorot(13, 16), torch.zeros(16, requires_grad=True), glorot(16, 3), torch.zeros(3, requires_grad=True)]
velocity = [torch.zeros_like(q) for q in params]


def model(inp):
    h = torch.tanh(inp @ params[0] + params[1])
    return torch.log_softmax(h @ params[2] + params[3], 1)


def nll(logp, target):
    return -logp[torch.arange(len(target)), target].mean()


for step in range(200):
    idx = torch.randint(0, len(xt), (26,), generator=g)
    loss = nll(model(xt[idx]), yt[idx])
    grads = torch.autograd.grad(loss, params)
    with torch.no_grad():
        for q, v, gr in zip(params, velocity, grads):
            v.mul_(0.8).add_(gr)
            q.sub_(0.05 * v)
    if step % 25 == 24:
        with torch.no_grad():
            out = model(xv)
            print(step + 1, f"loss {loss.item():.4f} valid {nll(out, yv).item():.4f} acc {(out.argmax(1) == yv).float().mean():.3f}")
