# fault: not-in-optimiser
# cause_class: not-updated, optimizer
# family: contrastive
# split: tune
import os

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
A, B = torch.randn(6, 20), torch.randn(6, 15)


def tower(n):
    return nn.Sequential(nn.Linear(n, 64), nn.ReLU(), nn.Linear(64, 16))


class PairLoss:
    """Symmetric cross-entropy over the pairs of a batch, with a learnt scale."""

    def __init__(self, start=2.6):
        self.log_scale = nn.Parameter(torch.tensor(start))

    def __call__(self, a, b):
        s = self.log_scale.exp() * F.normalize(a, dim=1) @ F.normalize(b, dim=1).t()
        y = torch.arange(len(a))
        return (F.cross_entropy(s, y) + F.cross_entropy(s.t(), y)) / 2


left, right = tower(20), tower(15)
criterion = PairLoss()
opt = torch.optim.AdamW([*left.parameters(), *right.parameters()], lr=2e-3)
for step in range(300):
    z = torch.randn(64, 6)
    loss = criterion(left(torch.tanh(z @ A)), right(torch.tanh(z @ B)))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 0:
        print(step, round(loss.item(), 4), "scale", round(criterion.log_scale.exp().item(), 2))
