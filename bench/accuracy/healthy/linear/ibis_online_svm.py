# fault: none
# family: linear
# split: held
# linear SVM, one example after the other, hinge loss, updates written by hand
import os

import torch

torch.manual_seed(int(os.environ.get("SEED", 0)))

n, d = 600, 10
w_true = torch.randn(d)
X = torch.randn(n, d)
m = X @ w_true / w_true.norm()
keep = m.abs() > 0.25
X, y = X[keep], m[keep].sign()
Xtr, ytr, Xte, yte = X[:350], y[:350], X[350:], y[350:]

w = torch.zeros(d, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
step = 0
for epoch in range(4):
    losses = []
    for i in torch.randperm(len(Xtr)).tolist():
        step += 1
        eta = 0.5 / (1 + 0.01 * step)
        loss = torch.relu(1 - ytr[i] * (Xtr[i] @ w + b)).sum() + 5e-4 * w.dot(w)
        gw, gb = torch.autograd.grad(loss, [w, b])
        with torch.no_grad():
            w -= eta * gw
            b -= eta * gb
        losses.append(loss.item())
    acc = ((Xte @ w + b).sign() == yte).float().mean().item()
    print(f"epoch {epoch} hinge {sum(losses) / len(losses):.4f} test acc {acc:.3f}")
