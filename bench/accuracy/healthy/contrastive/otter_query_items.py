# fault: none
# family: contrastive
# split: held
import math
import os
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class ClipConfig:
    topics: int = 40
    vocab: int = 400
    words: int = 8
    feats: int = 24
    dim: int = 32
    batch: int = 128
    steps: int = 500
    lr: float = 1e-3
    warmup: int = 100


class World:
    """A search query is a bag of words, an item a vector of features; both stem from a hidden point."""

    def __init__(self, c):
        self.c = c
        self.w = torch.randn(6, c.vocab) * 1.5
        self.f = torch.randn(6, c.feats)

    def pairs(self, n):
        h = torch.randn(n, 6)
        q = torch.multinomial((h @ self.w).softmax(-1), self.c.words, replacement=True)
        x = torch.tanh(h @ self.f / 2) + 0.2 * torch.randn(n, self.c.feats)
        return q, x


class Clip(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.words = nn.EmbeddingBag(c.vocab, c.dim, mode="mean")
        self.q = nn.Sequential(nn.Linear(c.dim, 64), nn.GELU(), nn.Linear(64, c.dim))
        self.x = nn.Sequential(nn.Linear(c.feats, 64), nn.GELU(), nn.Linear(64, c.dim))
        self.log_scale = nn.Parameter(torch.tensor(math.log(1 / 0.2)))

    def forward(self, q, x):
        a, b = F.normalize(self.q(self.words(q)), dim=1), F.normalize(self.x(x), dim=1)
        return a @ b.T * self.log_scale.exp().clamp(max=100)


def symmetric(logits):
    t = torch.arange(len(logits))
    return 0.5 * (F.cross_entropy(logits, t) + F.cross_entropy(logits.T, t))


def main(c=ClipConfig()):
    torch.manual_seed(int(os.environ.get("SEED", 0)))
    world, model = World(c), Clip(c)
    opt = torch.optim.AdamW([{"params": [p for n, p in model.named_parameters() if n != "log_scale"]},
                             {"params": [model.log_scale], "weight_decay": 0.0}], lr=c.lr, weight_decay=0.02)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / c.warmup))
    vq, vx = world.pairs(c.batch)
    print(f"log N = {math.log(c.batch):.3f}")
    for it in range(1, c.steps + 1):
        loss = symmetric(model(*world.pairs(c.batch)))
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        if it == 1 or it % 50 == 0:
            model.eval()
            with torch.no_grad():
                lg = model(vq, vx)
                top5 = (lg.topk(5).indices == torch.arange(c.batch)[:, None]).any(1).float().mean().item()
            model.train()
            print(f"{it:4d} loss {loss.item():.3f} val {symmetric(lg).item():.3f} top5 {top5:.3f} scale {model.log_scale.exp().item():.2f}")


main()
