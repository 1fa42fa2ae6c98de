# fault: none
# family: multitask
# split: held
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))


class MultiTask(nn.Module):
    """One trunk, a regression and a classification, weights of the losses are learnt."""

    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.size, self.kind = nn.Linear(64, 1), nn.Linear(64, 4)
        self.log_var = nn.Parameter(torch.zeros(2))

    def forward(self, x):
        h = self.trunk(x)
        return self.size(h).squeeze(1), self.kind(h)

    def loss(self, x, size, kind):
        a, b = self(x)
        r, c = F.mse_loss(a, size), F.cross_entropy(b, kind)
        s = self.log_var
        return 0.5 * torch.exp(-s[0]) * r + 0.5 * s[0] + torch.exp(-s[1]) * c + 0.5 * s[1], r, c


w = torch.randn(12, 5) / 3
x = torch.randn(2400, 12)
z = torch.tanh(x @ w)
size = z[:, 0] + 0.5 * z[:, 1] * z[:, 2]
size = (size - size.mean()) / size.std() + 0.05 * torch.randn(2400)
kind = (z[:, 3] > 0).long() * 2 + (z[:, 4] > 0).long()
model = MultiTask()
opt = torch.optim.Adam([{"params": [p for n, p in model.named_parameters() if n != "log_var"], "lr": 2e-3},
                        {"params": [model.log_var], "lr": 1e-2}])
for epoch in range(10):
    for b in torch.randperm(2000).split(40):
        loss, r, c = model.loss(x[b], size[b], kind[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        vl, vr, vc = model.loss(x[2000:], size[2000:], kind[2000:])
        acc = (model(x[2000:])[1].argmax(1) == kind[2000:]).float().mean()
    print(f"epoch {epoch} total {loss.item():.3f} | val total {vl.item():.3f} mse {vr.item():.4f} ce {vc.item():.4f} acc {acc.item():.3f} s {[round(v, 2) for v in model.log_var.tolist()]}")
