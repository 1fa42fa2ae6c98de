# fault: loss-misused
# cause_class: loss, output-activation
# family: contrastive
# split: tune
"""InfoNCE between two noisy views of the same item; retrieval accuracy on fresh items."""
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
MIX_A, MIX_B = torch.randn(8, 32), torch.randn(8, 32)


def views(n):
    z = torch.randn(n, 8)
    a = torch.tanh(z @ MIX_A / 2) + 0.3 * torch.randn(n, 32)
    b = torch.tanh(z @ MIX_B / 2) + 0.3 * torch.randn(n, 32)
    return a, b


class InfoNCE(nn.Module):
    def __init__(self, temperature=0.07):
        super().__init__()
        self.temperature = temperature

    def forward(self, za, zb):
        za, zb = F.normalize(za, dim=1), F.normalize(zb, dim=1)
        sim = za @ zb.T * self.temperature
        target = torch.arange(len(za))
        return 0.5 * (F.cross_entropy(sim, target) + F.cross_entropy(sim.T, target))


def tower():
    return nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 16))


left, right = tower(), tower()
criterion = InfoNCE()
opt = torch.optim.Adam([*left.parameters(), *right.parameters()], lr=1e-3)
va, vb = views(256)
for step in range(501):
    a, b = views(64)
    loss = criterion(left(a), right(b))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 0:
        with torch.no_grad():
            s = F.normalize(left(va), dim=1) @ F.normalize(right(vb), dim=1).T
            top1 = (s.argmax(1) == torch.arange(256)).float().mean()
        print(f"{step} loss {loss.item():.4f} top-1 {top1:.3f}")
