# fault: none
# family: transformer
# split: tune
# needs: sklearn
"""A very small ViT on the digits, bf16 autocast, class token, stochastic depth, label smoothing."""
import math
import os
from dataclasses import dataclass
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits


@dataclass
class Hyper:
    dim: int = 32
    depth: int = 2
    heads: int = 4
    lr: float = 4e-3
    epochs: int = 8
    batch: int = 72
    drop_path: float = 0.05
    smoothing: float = 0.1


class Layer(nn.Module):
    def __init__(self, h):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(h.dim), nn.LayerNorm(h.dim)
        self.att = nn.MultiheadAttention(h.dim, h.heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(h.dim, 2 * h.dim), nn.GELU(), nn.Linear(2 * h.dim, h.dim))
        self.p = h.drop_path

    def drop(self, x):
        if not self.training:
            return x
        keep = (torch.rand(len(x), 1, 1) > self.p).to(x.dtype)
        return x * keep / (1 - self.p)

    def forward(self, x):
        y = self.n1(x)
        x = x + self.drop(self.att(y, y, y, need_weights=False)[0])
        return x + self.drop(self.ff(self.n2(x)))


class ViT(nn.Module):
    def __init__(self, h):
        super().__init__()
        self.patch = nn.Conv2d(1, h.dim, 2, stride=2)
        self.cls = nn.Parameter(torch.zeros(1, 1, h.dim))
        self.pos = nn.Parameter(0.02 * torch.randn(1, 17, h.dim))
        self.layers = nn.Sequential(*[Layer(h) for _ in range(h.depth)])
        self.head = nn.Sequential(nn.LayerNorm(h.dim), nn.Linear(h.dim, 10))

    def forward(self, x):
        t = self.patch(x).flatten(2).transpose(1, 2)
        t = torch.cat([self.cls.expand(len(x), -1, -1), t], 1) + self.pos
        return self.head(self.layers(t)[:, 0])


h = Hyper()
torch.manual_seed(int(os.environ.get("SEED", 0)))
d = load_digits()
x, y = torch.tensor(d.images, dtype=torch.float32)[:, None] / 8 - 0.6, torch.tensor(d.target)
p = torch.randperm(len(x))
tr, te = p[:1440], p[1440:]
net = ViT(h)
opt = torch.optim.AdamW(net.parameters(), lr=h.lr, weight_decay=0.05)
steps = h.epochs * 20
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min((s + 1) / 20, 0.5 + 0.5 * math.cos(math.pi * s / steps)))
for epoch in range(h.epochs):
    net.train()
    tot = 0
    for idx in tr[torch.randperm(1440)].split(h.batch):
        with torch.autocast("cpu", torch.bfloat16):
            out = net(x[idx])
        loss = F.cross_entropy(out.float(), y[idx], label_smoothing=h.smoothing)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        sched.step()
        tot += loss.item() / 20
    net.eval()
    with torch.no_grad():
        acc = (net(x[te]).argmax(1) == y[te]).float().mean()
    print(f"epoch {epoch} loss {tot:.4f} acc {acc:.3f}")
