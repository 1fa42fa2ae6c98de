# fault: none
# family: meta
# split: held
# second-order MAML written with torch.func
import math
import os

import torch
from torch import nn
from torch.func import functional_call, grad, vmap

torch.manual_seed(int(os.environ.get("SEED", "0")))
INNER_LR, META_LR, TASKS, SHOTS, ITERS = 0.05, 3e-3, 8, 10, 500

model = nn.Sequential(nn.Linear(1, 40), nn.Tanh(), nn.Linear(40, 40), nn.Tanh(), nn.Linear(40, 1))


def tasks(n, gen=None):
    amp = torch.rand(n, 1, 1, generator=gen) * 1.5 + 0.5
    ph = torch.rand(n, 1, 1, generator=gen) * math.pi
    x = torch.rand(n, 2 * SHOTS, 1, generator=gen) * 6 - 3
    y = amp * torch.sin(x + ph)
    return x[:, :SHOTS], y[:, :SHOTS], x[:, SHOTS:], y[:, SHOTS:]


def mse(params, x, y):
    return (functional_call(model, params, (x,)) - y).pow(2).mean()


def adapt_and_score(params, xs, ys, xq, yq):
    fast = params
    for _ in range(2):
        g = grad(mse)(fast, xs, ys)
        fast = {k: p - INNER_LR * g[k] for k, p in fast.items()}
    return mse(fast, xq, yq)


score = vmap(adapt_and_score, in_dims=(None, 0, 0, 0, 0))
val = tasks(100, torch.Generator().manual_seed(7))
opt = torch.optim.Adam(model.parameters(), lr=META_LR)
hist = []
for it in range(1, ITERS + 1):
    loss = score(dict(model.named_parameters()), *tasks(TASKS)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    hist.append(loss.item())
    if it % 50 == 0 or it == 1:
        with torch.no_grad():
            v = score({k: p.detach() for k, p in model.named_parameters()}, *val).mean()
        print(f"{it:4d} meta loss {sum(hist[-50:]) / len(hist[-50:]):.4f} unseen tasks {v:.4f}")
