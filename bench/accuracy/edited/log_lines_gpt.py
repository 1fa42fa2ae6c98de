# fault: none
# family: language
# split: held
# set: okapi, unseen
#!/usr/bin/env python
# Tiny GPT over structured log lines. We care about: given a cut-off line, what is the next character.
import math
import os
import random
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    block: int = 32
    dim: int = 40
    heads: int = 4
    layers: int = 2
    batch: int = 16
    steps: int = 240
    lr: float = 5e-3
    warmup: int = 30
    clip: float = 1.0
    decay: float = 0.01
    seed: int = int(os.environ.get("SEED", "0"))


cfg = Config()
random.seed(cfg.seed)
torch.manual_seed(cfg.seed)

VERBS = {"open": "closed", "read": "ok", "send": "acked", "lock": "held", "mount": "ready"}
HOSTS = ["atlas", "boreas", "ceres", "doris"]


def line(r):
    v = r.choice(list(VERBS))
    h = r.choice(HOSTS)
    n = r.randint(0, 9)
    return f"{h} {v} {n} > {VERBS[v]} {h} {n}\n"


r = random.Random(cfg.seed)
text = "".join(line(r) for _ in range(3000))
held = "".join(line(r) for _ in range(200))
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
encode = lambda s: torch.tensor([stoi[c] for c in s])
train_ids, held_ids = encode(text), encode(held)


def get_batch(ids, size):
    start = torch.randint(0, len(ids) - cfg.block - 1, (size,))
    x = torch.stack([ids[s:s + cfg.block] for s in start])
    y = torch.stack([ids[s + 1:s + 1 + cfg.block] for s in start])
    return x, y


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.h = c.heads
        self.qkv = nn.Linear(c.dim, 3 * c.dim)
        self.proj = nn.Linear(c.dim, c.dim)
        self.register_buffer("mask", torch.tril(torch.ones(c.block, c.block)).bool())

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (t.view(B, T, self.h, C // self.h).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        att = q @ k.transpose(-2, -1) / math.sqrt(C // self.h)
        att = att.masked_fill(~self.mask[:T, :T], float("-inf"))
        y = att.softmax(-1) @ v
        return self.proj(y.transpose(1, 2).reshape(B, T, C))


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(c.dim), nn.LayerNorm(c.dim)
        self.attn = Attention(c)
        self.mlp = nn.Sequential(nn.Linear(c.dim, 4 * c.dim), nn.GELU(), nn.Linear(4 * c.dim, c.dim))

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    def __init__(self, c, vocab):
        super().__init__()
        self.tok = nn.Embedding(vocab, c.dim)
        self.pos = nn.Embedding(c.block, c.dim)
        self.blocks = nn.ModuleList([Block(c) for _ in range(c.layers)])
        self.ln = nn.LayerNorm(c.dim)
        self.head = nn.Linear(c.dim, vocab, bias=False)
        self.apply(self._init)

    def _init(self, m):
        if isinstance(m, (nn.Linear, nn.Embedding)):
            nn.init.normal_(m.weight, 0.0, 0.05)
        if isinstance(m, nn.Linear) and m.bias is not None:
            nn.init.zeros_(m.bias)

    def forward(self, idx, targets=None):
        x = self.tok(idx) + self.pos(torch.arange(idx.shape[1]))
        for b in self.blocks:
            x = b(x)
        logits = self.head(self.ln(x))
        loss = None
        if targets is not None:
            loss = F.cross_entropy(logits.view(-1, logits.shape[-1]), targets.reshape(-1))
        return logits, loss


@torch.no_grad()
def next_char_accuracy(model, n=150):
    """prefixes that were cut anywhere: is the single next char right?"""
    model.eval()
    g = torch.Generator().manual_seed(1)
    right = total = 0
    for cut in (18, 23, 28):
        start = torch.randint(0, len(held_ids) - cut - 1, (n,), generator=g)
        x = torch.stack([held_ids[s:s + cut] for s in start])
        y = torch.stack([held_ids[s + cut] for s in start])
        logits, _ = model(x)
        right += (logits[:, -1].argmax(-1) == y).sum().item()
        total += n
    model.train()
    return right / total


def lr_at(step):
    if step < cfg.warmup:
        return (step + 1) / cfg.warmup
    p = (step - cfg.warmup) / max(1, cfg.steps - cfg.warmup)
    return 0.1 + 0.45 * (1 + math.cos(math.pi * p))


model = GPT(cfg, len(chars))
opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=cfg.decay, betas=(0.9, 0.95))
sched = torch.optim.lr_scheduler.LambdaLR(opt, lr_at)

model.train()
for step in range(cfg.steps):
    x, y = get_batch(train_ids, cfg.batch)
    _, loss = model(x, y)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), cfg.clip)
    opt.step()
    sched.step()
    if step % 50 == 0 or step == cfg.steps - 1:
        print(f"step {step:4d} | loss {loss.item():.4f} | lr {sched.get_last_lr()[0]:.2e}")

print(f"METRIC next_char_acc {next_char_accuracy(model):.4f}")
