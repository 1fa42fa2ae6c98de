"""A character-level GPT on verses that a small grammar writes."""
import math
import random
import time
from dataclasses import dataclass

import torch
import torch.nn as nn
from torch.nn import functional as F


@dataclass
class Config:
    block_size: int = 64
    n_layer: int = 3
    n_head: int = 4
    n_embd: int = 96
    dropout: float = 0.1
    batch_size: int = 24
    max_iters: int = 160
    learning_rate: float = 1e-3
    warmup: int = 20
    eval_interval: int = 16
    eval_iters: int = 30


cfg = Config()
random.seed(1337)
torch.manual_seed(1337)

nouns = "moon river lantern sparrow winter harbour garden letter mountain shadow".split()
verbs = "sings sleeps wanders burns waits falls remembers listens".split()
how = "softly alone again forever slowly without sound".split()
text = "\n".join(
    f"the {random.choice(nouns)} {random.choice(verbs)} {random.choice(how)} and the {random.choice(nouns)} {random.choice(verbs)}" for _ in range(4000)
)
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
itos = dict(enumerate(chars))
data = torch.tensor([stoi[c] for c in text])
split = int(0.9 * len(data))
parts = {"train": data[:split], "val": data[split:]}


def get_batch(part):
    d = parts[part]
    ix = torch.randint(len(d) - cfg.block_size - 1, (cfg.batch_size,))
    x = torch.stack([d[i : i + cfg.block_size] for i in ix])
    y = torch.stack([d[i + 1 : i + 1 + cfg.block_size] for i in ix])
    return x, y


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1 = nn.LayerNorm(cfg.n_embd)
        self.qkv = nn.Linear(cfg.n_embd, 3 * cfg.n_embd)
        self.proj = nn.Linear(cfg.n_embd, cfg.n_embd)
        self.ln2 = nn.LayerNorm(cfg.n_embd)
        self.mlp = nn.Sequential(nn.Linear(cfg.n_embd, 4 * cfg.n_embd), nn.GELU(), nn.Linear(4 * cfg.n_embd, cfg.n_embd), nn.Dropout(cfg.dropout))

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(self.ln1(x)).view(B, T, 3, cfg.n_head, C // cfg.n_head).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(a.transpose(1, 2).reshape(B, T, C))
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(len(chars), cfg.n_embd)
        self.pos = nn.Embedding(cfg.block_size, cfg.n_embd)
        self.blocks = nn.Sequential(*[Block() for _ in range(cfg.n_layer)])
        self.ln = nn.LayerNorm(cfg.n_embd)
        self.head = nn.Linear(cfg.n_embd, len(chars))

    def forward(self, idx, targets=None):
        x = self.tok(idx) + self.pos(torch.arange(idx.shape[1]))
        logits = self.head(self.ln(self.blocks(x)))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())

    @torch.no_grad()
    def generate(self, idx, n):
        for _ in range(n):
            logits, _ = self(idx[:, -cfg.block_size :])
            idx = torch.cat([idx, torch.multinomial(logits[:, -1].softmax(-1), 1)], 1)
        return idx


@torch.no_grad()
def estimate_loss(model):
    out = {}
    model.eval()
    for part in ("train", "val"):
        losses = torch.zeros(cfg.eval_iters)
        for k in range(cfg.eval_iters):
            _, loss = model(*get_batch(part))
            losses[k] = loss.item()
        out[part] = losses.mean().item()
    model.train()
    return out


def lr_at(it):
    if it < cfg.warmup:
        return cfg.learning_rate * (it + 1) / cfg.warmup
    return cfg.learning_rate * 0.5 * (1 + math.cos(math.pi * it / cfg.max_iters))


model = GPT()
optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.learning_rate, weight_decay=0.1)
t0 = time.time()
for it in range(cfg.max_iters):
    for group in optimizer.param_groups:
        group["lr"] = lr_at(it)
    _, loss = model(*get_batch("train"))
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    if (it + 1) % cfg.eval_interval == 0:
        losses = estimate_loss(model)
        print(f"iter {it + 1}: train loss {losses['train']:.4f}, val loss {losses['val']:.4f}, {time.time() - t0:.1f} s")

model.eval()
print("".join(itos[int(i)] for i in model.generate(torch.tensor([[stoi["t"]]]), 60)[0]))
