# fault: none
# family: transformer
# split: tune
"""Causal model with tied embeddings that learns to repeat a random prefix; loss only on the second half."""
import math
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
V, HALF, D = 12, 5, 48
T = 2 * HALF


class Block(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv = nn.Linear(d, 3 * d, bias=False)
        self.proj = nn.Linear(d, d, bias=False)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(self.ln1(x)).view(b, t, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(a.transpose(1, 2).reshape(b, t, d))
        return x + self.mlp(self.ln2(x))


class TinyLM(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(V, D)
        self.pos = nn.Embedding(T, D)
        self.blocks = nn.Sequential(Block(D, 4), Block(D, 4))
        self.ln = nn.LayerNorm(D)
        self.head = nn.Linear(D, V, bias=False)
        nn.init.normal_(self.tok.weight, std=0.05)
        nn.init.normal_(self.pos.weight, std=0.05)
        self.head.weight = self.tok.weight

    def forward(self, ids):
        x = self.tok(ids) + self.pos(torch.arange(ids.shape[1]))
        return self.head(self.ln(self.blocks(x)))


def batch(n):
    p = torch.randint(0, V, (n, HALF))
    s = torch.cat([p, p], 1)
    target = s[:, 1:].clone()
    target[:, :HALF - 1] = -100
    return s[:, :-1], target


def rate(step, warm=30, total=300):
    return min(step / warm, 0.5 * (1 + math.cos(math.pi * step / total)))


model = TinyLM()
opt = torch.optim.AdamW(model.parameters(), lr=4e-3, betas=(0.9, 0.98), weight_decay=0.01)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: rate(s + 1))
xv, yv = batch(256)
for step in range(300):
    x, y = batch(32)
    loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten(), ignore_index=-100)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    sched.step()
    if step % 60 == 0 or step == 299:
        model.eval()
        with torch.no_grad():
            out = model(xv)
            sel = yv != -100
            acc = (out.argmax(-1)[sel] == yv[sel]).float().mean()
        model.train()
        print(f"{step} loss {loss.item():.4f} copy accuracy {acc:.3f}")
