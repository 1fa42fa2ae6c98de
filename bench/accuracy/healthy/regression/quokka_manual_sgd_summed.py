# fault: none
# family: regression
# split: tune
import os
import torch

torch.manual_seed(int(os.environ.get("SEED", "0")))
n, d, h = 1200, 6, 40
x = torch.randn(n, d)
y = torch.sin(x[:, :1]) + 0.5 * x[:, 1:2] * x[:, 2:3] + 0.1 * torch.randn(n, 1)
y = (y - y.mean()) / y.std()
w1 = (torch.randn(d, h) / d ** 0.5).requires_grad_()
b1 = torch.zeros(h, requires_grad=True)
w2 = (torch.randn(h, 1) / h ** 0.5).requires_grad_()
b2 = torch.zeros(1, requires_grad=True)
params = [w1, b1, w2, b2]
lr = 2e-3  # the loss is a sum over the 40 rows
for epoch in range(25):
    total = 0.0
    for rows in torch.randperm(1000).split(40):
        out = torch.tanh(x[rows] @ w1 + b1) @ w2 + b2
        loss = ((out - y[rows]) ** 2).sum()
        grads = torch.autograd.grad(loss, params)
        with torch.no_grad():
            for p, g in zip(params, grads):
                p -= lr * g
        total += loss.item()
    if epoch % 4 == 0:
        with torch.no_grad():
            test = ((torch.tanh(x[1000:] @ w1 + b1) @ w2 + b2 - y[1000:]) ** 2).mean()
        print(f"{epoch} sum {total / 25:.3f} test mse {test:.4f}")
