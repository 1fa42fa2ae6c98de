"""A very small GPT that learns to write names of villages, letter by letter."""
import argparse
import random
import time
from dataclasses import dataclass

import torch
import torch.nn as nn
from torch.nn import functional as F

START = ["wood", "ash", "mill", "stone", "green", "north", "black", "oak", "red", "lang", "win", "hal"]
MIDDLE = ["ing", "er", "s", "en", "", "", "y"]
END = ["ton", "ham", "ford", "by", "wick", "bury", "dale", "field", "ley"]


def text(n, seed):
    rng = random.Random(seed)
    return "\n".join(rng.choice(START) + rng.choice(MIDDLE) + rng.choice(END) for _ in range(n))


@dataclass
class Config:
    vocab: int
    block: int = 48
    layers: int = 2
    heads: int = 4
    dim: int = 64


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(c.dim), nn.LayerNorm(c.dim)
        self.qkv, self.proj = nn.Linear(c.dim, 3 * c.dim), nn.Linear(c.dim, c.dim)
        self.mlp = nn.Sequential(nn.Linear(c.dim, 4 * c.dim), nn.GELU(), nn.Linear(4 * c.dim, c.dim))
        self.heads = c.heads

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (z.view(b, t, self.heads, d // self.heads).transpose(1, 2) for z in self.qkv(self.ln1(x)).split(d, dim=2))
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(a.transpose(1, 2).reshape(b, t, d))
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.tok, self.pos = nn.Embedding(c.vocab, c.dim), nn.Embedding(c.block, c.dim)
        self.blocks = nn.Sequential(*[Block(c) for _ in range(c.layers)])
        self.ln, self.head = nn.LayerNorm(c.dim), nn.Linear(c.dim, c.vocab, bias=False)

    def forward(self, idx, targets):
        x = self.tok(idx) + self.pos(torch.arange(idx.shape[1]))
        logits = self.head(self.ln(self.blocks(x)))
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--iters", type=int, default=270)
    p.add_argument("--micro-batch", type=int, default=24)
    p.add_argument("--accumulate", type=int, default=1)
    p.add_argument("--lr", type=float, default=2e-3)
    args = p.parse_args()

    torch.manual_seed(1337)
    corpus = text(20000, seed=0)
    letters = sorted(set(corpus))
    data = torch.tensor([letters.index(ch) for ch in corpus])
    config = Config(vocab=len(letters))
    model = GPT(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)

    def get_batch(size):
        at = torch.randint(len(data) - config.block - 1, (size,))
        rows = at[:, None] + torch.arange(config.block + 1)
        chunk = data[rows]
        return chunk[:, :-1], chunk[:, 1:]

    t0 = time.time()
    for it in range(args.iters):
        optimizer.zero_grad(set_to_none=True)
        for _ in range(args.accumulate):
            x, y = get_batch(args.micro_batch)
            loss = model(x, y) / args.accumulate
            loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if it % 25 == 0 or it == args.iters - 1:
            print(f"iter {it}: loss {loss.item() * args.accumulate:.4f}")
    print(f"took {time.time() - t0:.1f} s")


if __name__ == "__main__":
    main()
