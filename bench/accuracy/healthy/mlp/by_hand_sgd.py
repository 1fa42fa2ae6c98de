# fault: none
# family: mlp
# split: held
# no nn.Module, no optimiser: weights are plain tensors
import os
import math
import torch
from sklearn.datasets import load_digits

torch.manual_seed(int(os.environ.get('SEED', '0')))
d = load_digits()
x = torch.tensor(d.data).float() / 16 - 0.3
y = torch.tensor(d.target)
p = torch.randperm(len(x))
x, y = x[p], y[p]
xt, yt, xv, yv = x[:1500], y[:1500], x[1500:], y[1500:]

w1 = (torch.randn(64, 64) / math.sqrt(32)).requires_grad_()
b1 = torch.zeros(64, requires_grad=True)
w2 = (torch.randn(64, 10) / math.sqrt(64)).requires_grad_()
b2 = torch.zeros(10, requires_grad=True)
params = [w1, b1, w2, b2]


def model(xb):
    return (xb @ w1 + b1).clamp_min(0.) @ w2 + b2


def nll(out, t):
    logp = out - out.exp().sum(-1, keepdim=True).log()
    return -logp[range(len(t)), t].mean()


lr, bs = 0.3, 50
for epoch in range(12):
    perm = torch.randperm(1500)
    for i in range(0, 1500, bs):
        j = perm[i:i + bs]
        loss = nll(model(xt[j]), yt[j])
        loss.backward()
        with torch.no_grad():
            for q in params:
                q -= q.grad * lr
                q.grad.zero_()
    with torch.no_grad():
        print(epoch, 'train', nll(model(xt), yt).item(), 'valid', nll(model(xv), yv).item(),
              'acc', (model(xv).argmax(1) == yv).float().mean().item())
