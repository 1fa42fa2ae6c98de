# fault: loss-misused
# cause_class: loss
# family: contrastive
# split: tune
import os
from dataclasses import dataclass, field

import torch
from torch import nn
import torch.nn.functional as F


@dataclass
class Settings:
    batch: int = 64
    steps: int = 500
    lr: float = 2e-3
    temperature: float = 0.07
    seed: int = field(default_factory=lambda: int(os.environ.get("SEED", 0)))


s = Settings()
torch.manual_seed(s.seed)
mix_a, mix_b = torch.randn(10, 30), torch.randn(10, 24)


def pairs(n):
    """The same hidden cause seen by two instruments."""
    z = torch.randn(n, 10)
    a = torch.tanh(z @ mix_a / 3) + 0.2 * torch.randn(n, 30)
    b = torch.tanh(z @ mix_b / 3) + 0.2 * torch.randn(n, 24)
    return a, b


class Tower(nn.Module):
    def __init__(self, i, o=16):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(i, 64), nn.ReLU(), nn.Linear(64, o))

    def forward(self, x):
        return F.normalize(self.f(x), dim=-1)


class ClipLoss(nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.scale = temperature

    def forward(self, a, b):
        logits = self.scale * a @ b.T
        target = torch.arange(len(a))
        return (F.cross_entropy(logits, target) + F.cross_entropy(logits.T, target)) / 2


left, right, criterion = Tower(30), Tower(24), ClipLoss(s.temperature)
optimizer = torch.optim.Adam([*left.parameters(), *right.parameters()], lr=s.lr)
test_a, test_b = pairs(256)

for step in range(s.steps):
    a, b = pairs(s.batch)
    loss = criterion(left(a), right(b))
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    if step % 50 == 0 or step == s.steps - 1:
        with torch.no_grad():
            hit = ((left(test_a) @ right(test_b).T).argmax(1) == torch.arange(256)).float().mean()
        print(f"{step:4d} loss {loss.item():.4f} top-1 of 256 {hit:.3f}")
