# fault: none
# family: finetune
# split: tune
# BitFit: only biases and norm weights are trained, the optimiser is given every parameter.
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))


def mlp():
    return nn.Sequential(
        nn.Linear(16, 64), nn.LayerNorm(64), nn.ReLU(), nn.Linear(64, 64), nn.LayerNorm(64), nn.ReLU(), nn.Linear(64, 4)
    )


rule = torch.randn(16, 4)
rotate = torch.linalg.qr(torch.eye(16) + 0.15 * torch.randn(16, 16)).Q


def fit(model, lr, n, x, y):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    res = []
    for _ in range(n):
        i = torch.randint(0, len(x), (64,))
        loss = F.cross_entropy(model(x[i]), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
        res.append(loss.item())
    return res


x = torch.randn(3000, 16)
model = mlp()
fit(model, 3e-3, 150, x, (x @ rule).argmax(1))
for name, p in model.named_parameters():
    is_norm = isinstance(model[int(name.split(".")[0])], nn.LayerNorm)
    p.requires_grad_(is_norm or name.endswith("bias"))
print("trained", sum(p.numel() for p in model.parameters() if p.requires_grad))
res = fit(model, 1e-2, 200, x, (x @ rotate @ rule + 1.0 * torch.arange(4)).argmax(1))
print(f"loss first {res[0]:.4f} last {res[-1]:.4f}")
