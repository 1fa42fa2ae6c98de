# fault: loss-misused
# cause_class: loss
# family: contrastive
# split: tune
"""Two-tower search model: queries against products with in-batch negatives."""
import os

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


class Tower(nn.Module):
    def __init__(self, n_in, hidden=64, out=32):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(n_in, hidden), nn.GELU(), nn.Linear(hidden, out))

    def forward(self, x):
        return F.normalize(self.layers(x), dim=-1)


class InBatchSoftmax(nn.Module):
    def __init__(self, temperature=0.05):
        super().__init__()
        self.temperature = temperature

    def forward(self, q, p):
        logits = q @ p.t() * self.temperature
        target = torch.arange(len(q), device=q.device)
        return 0.5 * (F.cross_entropy(logits, target) + F.cross_entropy(logits.t(), target))


class Pairs:
    """a query and the product bought after it share an intent"""

    def __init__(self, intents=16, dq=24, dp=40):
        self.a, self.b = torch.randn(intents, dq) / 4, torch.randn(intents, dp) / 4

    def sample(self, n):
        z = torch.randn(n, len(self.a))
        q, p = z @ self.a, z @ self.b
        return q + 0.3 * torch.randn_like(q), p + 0.3 * torch.randn_like(p)


@torch.no_grad()
def recall(qt, pt, pairs, k=1, n=500):
    qt.eval(), pt.eval()
    q, p = pairs.sample(n)
    hits = (qt(q) @ pt(p).t()).topk(k, dim=1).indices == torch.arange(n)[:, None]
    qt.train(), pt.train()
    return hits.any(1).float().mean().item()


pairs = Pairs()
query_tower, product_tower = Tower(24), Tower(40)
criterion = InBatchSoftmax()
optimizer = torch.optim.AdamW([*query_tower.parameters(), *product_tower.parameters()], lr=1e-3)
for step in range(601):
    q, p = pairs.sample(128)
    loss = criterion(query_tower(q), product_tower(p))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        print(f"step {step} loss {loss.item():.4f} recall@1 {recall(query_tower, product_tower, pairs):.3f}")
