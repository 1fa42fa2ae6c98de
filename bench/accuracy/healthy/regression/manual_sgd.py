# fault: none
# family: regression
# split: tune
"""Two-layer net in bare tensors, gradient steps by hand."""
import os
import torch

torch.manual_seed(int(os.environ.get("SEED", 0)))
x = torch.rand(600, 1) * 6 - 3
y = torch.sin(x) + 0.3 * x + 0.05 * torch.randn_like(x)
x_train, y_train, x_test, y_test = x[:500], y[:500], x[500:], y[500:]

w1 = (torch.randn(1, 40) * 1.0).requires_grad_()
b1 = torch.randn(40).requires_grad_()
w2 = (torch.randn(40, 1) / 40 ** 0.5).requires_grad_()
b2 = torch.zeros(1, requires_grad=True)
params = [w1, b1, w2, b2]
lr = 0.05


def predict(x):
    return torch.tanh(x @ w1 + b1) @ w2 + b2


for step in range(1, 1501):
    pick = torch.randint(0, 500, (32,))
    loss = (predict(x_train[pick]) - y_train[pick]).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        for p in params:
            p -= lr * p.grad
            p.grad = None
    if step % 250 == 0:
        with torch.no_grad():
            test = (predict(x_test) - y_test).pow(2).mean().item()
        print(f"step {step} train {loss.item():.4f} test {test:.4f}")
