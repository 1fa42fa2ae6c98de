# fault: none
# family: contrastive
# split: tune
import os

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
mix_a, mix_b = torch.randn(8, 20), torch.randn(8, 28)


def draw(n):
    z = torch.randn(n, 8)
    return torch.tanh(z @ mix_a / 3) + 0.1 * torch.randn(n, 20), torch.tanh(z @ mix_b / 3) + 0.1 * torch.randn(n, 28)


class SymmetricLoss(nn.Module):
    """Each side finds the other; the scale is learnt, and begins at one."""

    def __init__(self):
        super().__init__()
        self.log_scale = nn.Parameter(torch.tensor(0.0))

    def forward(self, image, text):
        logits = self.log_scale.exp() * F.normalize(image, dim=1) @ F.normalize(text, dim=1).T
        at = torch.arange(len(image))
        return 0.5 * (F.cross_entropy(logits, at) + F.cross_entropy(logits.T, at))


def tower(i):
    return nn.Sequential(nn.Linear(i, 64), nn.GELU(), nn.Linear(64, 16))


image, text, criterion = tower(20), tower(28), SymmetricLoss()
optimizer = torch.optim.AdamW([{"params": [*image.parameters(), *text.parameters()]}, {"params": criterion.parameters(), "lr": 2e-2, "weight_decay": 0.0}], lr=3e-3)
for step in range(400):
    a, b = draw(64)
    loss = criterion(image(a), text(b))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        print(step, loss.item(), criterion.log_scale.exp().item())
