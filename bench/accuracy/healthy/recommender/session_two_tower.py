# fault: none
# family: recommender
# split: held
"""Bag of visited items against the next item, in-batch softmax with a learned temperature."""
import os

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))
ITEMS, THEMES, HISTORY = 150, 10, 6


class Sessions:
    def __init__(self):
        affinity = 3.0 * torch.randn(THEMES, ITEMS)
        self.p = affinity.softmax(-1)

    def sample(self, n):
        theme = torch.randint(0, THEMES, (n,))
        items = torch.multinomial(self.p[theme], HISTORY + 1, replacement=True)
        return items[:, :-1], items[:, -1]


class TwoTower(nn.Module):
    def __init__(self, dim=24):
        super().__init__()
        self.history = nn.EmbeddingBag(ITEMS, dim, mode="mean")
        self.item = nn.Embedding(ITEMS, dim)
        self.user_mlp = nn.Sequential(nn.Linear(dim, 48), nn.ReLU(), nn.Linear(48, dim))
        self.log_scale = nn.Parameter(torch.tensor(0.0))

    def users(self, h):
        return F.normalize(self.user_mlp(self.history(h)), dim=-1)

    def items(self, i):
        return F.normalize(self.item(i), dim=-1)

    def logits(self, h, i):
        return self.users(h) @ self.items(i).t() * self.log_scale.exp().clamp(max=50)


def in_batch_loss(model, h, i, log_pop):
    logits = model.logits(h, i) - log_pop[i]
    same = (i[:, None] == i[None]) & ~torch.eye(len(i), dtype=torch.bool)
    return F.cross_entropy(logits.masked_fill(same, -1e4), torch.arange(len(i)))


@torch.no_grad()
def hit_rate(model, data, k=10):
    model.eval()
    h, i = data.sample(1000)
    scores = model.logits(h, torch.arange(ITEMS))
    return (scores.topk(k, 1).indices == i[:, None]).any(1).float().mean().item()


data, model = Sessions(), TwoTower()
log_pop = data.p.mean(0).clamp(min=1e-5).log()
optimizer = torch.optim.Adam([{"params": [p for n, p in model.named_parameters() if n != "log_scale"]},
                              {"params": [model.log_scale], "lr": 2e-2}], lr=3e-3)
for step in range(701):
    model.train()
    loss = in_batch_loss(model, *data.sample(128), log_pop)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        print(f"step {step} loss {loss.item():.4f} scale {model.log_scale.exp().item():.2f} hit@10 {hit_rate(model, data):.3f}")
