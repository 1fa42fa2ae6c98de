# fault: none
# family: transformer
# split: tune
import argparse
import math
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

ap = argparse.ArgumentParser()
ap.add_argument("--d", type=int, default=32)
ap.add_argument("--layers", type=int, default=2)
ap.add_argument("--ctx", type=int, default=20)
ap.add_argument("--steps", type=int, default=300)
ap.add_argument("--lr", type=float, default=4e-3)
ap.add_argument("--warmup", type=int, default=30)
ap.add_argument("--smoothing", type=float, default=0.05)
args = ap.parse_args([])
torch.manual_seed(int(os.environ.get("SEED", 0)))

V = 16
table = torch.randint(0, V, (V, V))  # next token from the last two


def sample(b):
    s = [torch.randint(0, V, (b,)), torch.randint(0, V, (b,))]
    for _ in range(args.ctx - 1):
        nxt = torch.where(torch.rand(b) < 0.9, table[s[-2], s[-1]], torch.randint(0, V, (b,)))
        s.append(nxt)
    s = torch.stack(s, 1)
    return s[:, :-1], s[:, 1:]


class Block(nn.Module):
    def __init__(self, d, h=4):
        super().__init__()
        self.h = h
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.proj = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.ff = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(self.n1(x)).view(b, t, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(a.transpose(1, 2).reshape(b, t, d))
        return x + self.ff(self.n2(x))


class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(V, args.d), nn.Embedding(args.ctx, args.d)
        self.blocks = nn.ModuleList(Block(args.d) for _ in range(args.layers))
        self.ln = nn.LayerNorm(args.d)
        self.lm_head = nn.Linear(args.d, V, bias=False)
        for e in (self.wte, self.wpe):
            nn.init.normal_(e.weight, std=0.05)
        self.lm_head.weight = self.wte.weight

    def forward(self, x):
        h = self.wte(x) + self.wpe(torch.arange(x.shape[1]))
        for blk in self.blocks:
            h = blk(h)
        return self.lm_head(self.ln(h))


model = LM()
decay = [p for p in model.parameters() if p.dim() > 1]
plain = [p for p in model.parameters() if p.dim() < 2]
opt = torch.optim.AdamW([{"params": decay, "weight_decay": 0.05}, {"params": plain, "weight_decay": 0.0}], lr=args.lr)


def rate(i):
    if i < args.warmup:
        return (i + 1) / args.warmup
    return 0.5 * (1 + math.cos(math.pi * (i - args.warmup) / (args.steps - args.warmup)))


sched = torch.optim.lr_scheduler.LambdaLR(opt, rate)
for i in range(args.steps):
    x, y = sample(32)
    loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten(), label_smoothing=args.smoothing)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    opt.step()
    sched.step()
    if i % 30 == 29:
        print(f"{i + 1:4d} loss {loss.item():.3f} grad norm {norm:.2f}")
