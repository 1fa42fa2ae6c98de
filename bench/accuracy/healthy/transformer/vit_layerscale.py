# fault: none
# family: transformer
# split: tune
# A small vision transformer with LayerScale 1e-4, register tokens and a cosine schedule.
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))


class LayerScale(nn.Module):
    def __init__(self, d, init=1e-4):
        super().__init__()
        self.gamma = nn.Parameter(torch.full((d,), init))

    def forward(self, x):
        return x * self.gamma


class Block(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.attn = nn.MultiheadAttention(d, heads, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))
        self.ls1, self.ls2 = LayerScale(d), LayerScale(d)

    def forward(self, x):
        h = self.n1(x)
        x = x + self.ls1(self.attn(h, h, h, need_weights=False)[0])
        return x + self.ls2(self.mlp(self.n2(x)))


class ViT(nn.Module):
    def __init__(self, classes, d=32):
        super().__init__()
        self.patch = nn.Conv2d(3, d, 4, 4)
        self.extra = nn.Parameter(torch.randn(1, 3, d) * 0.02)
        self.pos = nn.Parameter(torch.randn(1, 9, d) * 0.02)
        self.blocks = nn.Sequential(Block(d, 4), Block(d, 4), nn.LayerNorm(d))
        self.head = nn.Linear(d, classes)

    def forward(self, x):
        t = self.patch(x).flatten(2).transpose(1, 2) + self.pos
        t = torch.cat([self.extra.expand(len(x), -1, -1), t], 1)
        return self.head(self.blocks(t)[:, 3:].mean(1))


style = torch.randn(5, 3, 4, 4)


def batch(n):
    y = torch.randint(0, 5, (n,))
    return 0.6 * style[y].repeat(1, 1, 3, 3) + torch.randn(n, 3, 12, 12), y


model = ViT(5)
opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.05)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 180, eta_min=1e-6)
log = []
for step in range(180):
    x, y = batch(32)
    loss = F.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    sched.step()
    log.append(loss.item())
print(f"loss first {log[0]:.4f} last {log[-1]:.4f}")
