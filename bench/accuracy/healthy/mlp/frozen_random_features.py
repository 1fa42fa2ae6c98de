# fault: none
# family: mlp
# split: tune
"""Random Fourier features stay as drawn; only the linear read-out is trained."""
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


class RandomFeatures(nn.Module):
    def __init__(self, d, n, scale):
        super().__init__()
        self.proj = nn.Linear(d, n)
        nn.init.normal_(self.proj.weight, std=scale)
        nn.init.uniform_(self.proj.bias, 0, 6.2832)
        for p in self.parameters():
            p.requires_grad = False

    def forward(self, x):
        return torch.cos(self.proj(x)) * (2.0 / self.proj.out_features) ** 0.5


def rings(n):
    y = torch.randint(0, 3, (n,))
    a = torch.rand(n) * 6.2832
    r = 0.5 + y * 0.7 + 0.1 * torch.randn(n)
    return torch.stack([r * a.cos(), r * a.sin()], 1), y


phi = RandomFeatures(2, 300, 2.0)
head = nn.Linear(300, 3)
nn.init.zeros_(head.weight)
nn.init.zeros_(head.bias)
opt = torch.optim.SGD(head.parameters(), lr=5.0, momentum=0.9)
xtr, ytr = rings(1200)
xte, yte = rings(400)
for epoch in range(8):
    for idx in torch.randperm(1200).split(60):
        loss = nn.functional.cross_entropy(head(phi(xtr[idx])), ytr[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        out = head(phi(xte))
        print(epoch, f"train {loss.item():.4f} test {nn.functional.cross_entropy(out, yte):.4f} acc {(out.argmax(1) == yte).float().mean():.3f}")
