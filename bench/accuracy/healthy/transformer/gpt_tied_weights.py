# fault: none
# family: transformer
# split: tune
# A decoder of the GPT kind: causal mask, tied embedding, weight decay groups, cosine schedule with warm-up.
import math
import os
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Config:
    vocab: int = 16
    block: int = 24
    width: int = 32
    heads: int = 4
    layers: int = 2
    steps: int = 180
    warmup: int = 20
    lr: float = 6e-3


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.heads = c.heads
        self.qkv = nn.Linear(c.width, 3 * c.width, bias=False)
        self.proj = nn.Linear(c.width, c.width, bias=False)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = (t.view(B, T, self.heads, -1).transpose(1, 2) for t in self.qkv(x).split(C, 2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.proj(y.transpose(1, 2).reshape(B, T, C))


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(c.width), nn.LayerNorm(c.width)
        self.attn = Attention(c)
        self.mlp = nn.Sequential(nn.Linear(c.width, 4 * c.width), nn.GELU(), nn.Linear(4 * c.width, c.width))

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.wte = nn.Embedding(c.vocab, c.width)
        self.wpe = nn.Embedding(c.block, c.width)
        self.h = nn.ModuleList(Block(c) for _ in range(c.layers))
        self.ln_f = nn.LayerNorm(c.width)
        self.lm_head = nn.Linear(c.width, c.vocab, bias=False)
        self.lm_head.weight = self.wte.weight
        self.apply(self._init)

    def _init(self, m):
        if isinstance(m, (nn.Linear, nn.Embedding)):
            nn.init.normal_(m.weight, std=0.02)
            if getattr(m, "bias", None) is not None:
                nn.init.zeros_(m.bias)

    def forward(self, idx, targets=None):
        x = self.wte(idx) + self.wpe(torch.arange(idx.shape[1]))
        for b in self.h:
            x = b(x)
        logits = self.lm_head(self.ln_f(x))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.view(-1, logits.size(-1)), targets.reshape(-1))


def get_batch(c, n=24):
    # counting with a stride that has to be read from the context
    start, stride = torch.randint(0, c.vocab, (n, 1)), torch.randint(1, 5, (n, 1))
    seq = (start + stride * torch.arange(c.block + 1)) % c.vocab
    return seq[:, :-1], seq[:, 1:]


def main():
    torch.manual_seed(int(os.environ.get("SEED", "0")))
    c = Config()
    model = GPT(c)
    decay = [p for p in model.parameters() if p.dim() >= 2]
    rest = [p for p in model.parameters() if p.dim() < 2]
    opt = torch.optim.AdamW(
        [{"params": decay, "weight_decay": 0.1}, {"params": rest, "weight_decay": 0.0}], lr=c.lr, betas=(0.9, 0.95)
    )
    losses = []
    for it in range(c.steps):
        if it < c.warmup:
            lr = c.lr * it / c.warmup
        else:
            lr = c.lr * (0.1 + 0.45 * (1 + math.cos(math.pi * (it - c.warmup) / (c.steps - c.warmup))))
        for g in opt.param_groups:
            g["lr"] = lr
        _, loss = model(*get_batch(c))
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        losses.append(loss.item())
    print(f"loss first {losses[0]:.4f} last {losses[-1]:.4f}")


if __name__ == "__main__":
    main()
