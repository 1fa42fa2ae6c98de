# fault: frozen-by-mistake
# cause_class: not-updated, structure
# family: transformer
# split: tune
"""Classifies short series with a small transformer; config says how many blocks are kept as they are."""
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
CONFIG = {"width": 32, "blocks": 4, "heads": 4, "keep": 3, "lr": 1e-3, "steps": 300}


class Block(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.attend = nn.MultiheadAttention(d, heads, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))

    def forward(self, x):
        h = self.norm1(x)
        x = x + self.attend(h, h, h, need_weights=False)[0]
        return x + self.mlp(self.norm2(x))


class Series(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        d = cfg["width"]
        self.patch = nn.Linear(4, d)
        self.place = nn.Parameter(0.02 * torch.randn(1, 12, d))
        self.blocks = nn.ModuleList(Block(d, cfg["heads"]) for _ in range(cfg["blocks"]))
        self.norm, self.head = nn.LayerNorm(d), nn.Linear(d, 4)
        for block in self.blocks[:cfg["keep"]]:
            block.requires_grad_(False)

    def forward(self, x):
        h = self.patch(x.unflatten(1, (12, 4))) + self.place
        for block in self.blocks:
            h = block(h)
        return self.head(self.norm(h).mean(1))


def batch(n):
    y = torch.randint(0, 4, (n,))
    t = torch.arange(48.0)
    f = 0.12 + 0.05 * y[:, None]
    return torch.sin(6.283 * f * t + 6.283 * torch.rand(n, 1)) + 1.2 * torch.randn(n, 48), y


net = Series(CONFIG)
opt = torch.optim.AdamW((p for p in net.parameters() if p.requires_grad), lr=CONFIG["lr"])
for step in range(CONFIG["steps"]):
    x, y = batch(32)
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 0:
        print(step, round(loss.item(), 4))
