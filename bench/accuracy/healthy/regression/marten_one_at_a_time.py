# fault: none
# family: regression
# split: held
import os
import random

import torch

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)

# readings arrive one by one; the model learns from each and forgets it
true = torch.randn(9) / 3


def reading():
    x = torch.randn(9)
    y = x @ true + 0.5 * torch.sin(3 * x[0]) + 0.25 * torch.randn(())
    return x, y


def init(i, o):
    return (torch.randn(i, o) * (2 / i) ** 0.5).requires_grad_()


W1, b1 = init(9, 32), torch.zeros(32, requires_grad=True)
W2, b2 = init(32, 1), torch.zeros(1, requires_grad=True)
params = [W1, b1, W2, b2]
held = [reading() for _ in range(300)]
hx, hy = torch.stack([h[0] for h in held]), torch.stack([h[1] for h in held])


def model(x):
    return (torch.relu(x @ W1 + b1) @ W2 + b2).squeeze(-1)


seen = 0.0
for n in range(1, 2001):
    lr = 0.02 / (1 + n / 1000)
    x, y = reading()
    loss = (model(x) - y) ** 2
    grads = torch.autograd.grad(loss, params)
    with torch.no_grad():
        for p, g in zip(params, grads):
            p -= lr * g
    seen += loss.item()
    if n % 250 == 0:
        with torch.no_grad():
            mse = ((model(hx) - hy) ** 2).mean()
        print(f"{n:4d} running {seen / 250:.4f} held-out {mse:.4f} (variance {hy.var():.3f})")
        seen = 0.0
