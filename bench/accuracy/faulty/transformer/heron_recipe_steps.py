# fault: init-too-large
# cause_class: initialisation
# family: transformer
# split: held

# A language model over the verbs of recipes (a third-order grammar stands in for the corpus), minGPT style.
import os
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class GPTConfig:
    vocab: int = 60
    block: int = 24
    layers: int = 2
    heads: int = 4
    width: int = 160
    lr: float = 5e-4
    steps: int = 260
    batch: int = 16


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(c.width), nn.LayerNorm(c.width)
        self.qkv = nn.Linear(c.width, 3 * c.width)
        self.proj = nn.Linear(c.width, c.width)
        self.mlp = nn.Sequential(nn.Linear(c.width, 2 * c.width), nn.GELU(), nn.Linear(2 * c.width, c.width))
        self.heads = c.heads

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (a.view(b, t, self.heads, -1).transpose(1, 2) for a in self.qkv(self.ln1(x)).split(d, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(y.transpose(1, 2).reshape(b, t, d))
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.tok = nn.Embedding(c.vocab, c.width)
        self.pos = nn.Parameter(0.02 * torch.randn(c.block, c.width))
        self.blocks = nn.Sequential(*[Block(c) for _ in range(c.layers)])
        self.ln = nn.LayerNorm(c.width)
        self.head = nn.Linear(c.width, c.vocab, bias=False)
        self.head.weight = self.tok.weight      # Press & Wolf 2017

    def forward(self, idx, targets):
        x = self.tok(idx) + self.pos[: idx.size(1)]
        logits = self.head(self.ln(self.blocks(x)))
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def corpus(c, n, g):
    succ = torch.randint(0, c.vocab, (c.vocab, 3), generator=g)
    pick = torch.multinomial(torch.tensor([0.7, 0.2, 0.1]), n, True, generator=g)
    out = [0]
    for p in pick.tolist():
        out.append(int(succ[out[-1], p]))
        if len(out) % 23 == 0:
            out.append(int(torch.randint(0, c.vocab, (1,), generator=g)))
    return torch.tensor(out)


def main():
    seed = int(os.environ.get("SEED", 0))
    torch.manual_seed(seed)
    c = GPTConfig()
    data = corpus(c, 20000, torch.Generator().manual_seed(seed))
    train, val = data[:18000], data[18000:]
    model = GPT(c)
    opt = torch.optim.AdamW(model.parameters(), lr=c.lr, betas=(0.9, 0.95))

    def get(split, n):
        at = torch.randint(0, len(split) - c.block - 1, (n,))
        return torch.stack([split[i:i + c.block] for i in at]), torch.stack([split[i + 1:i + c.block + 1] for i in at])

    for it in range(c.steps):
        loss = model(*get(train, c.batch))
        opt.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        if it % 40 == 0 or it == c.steps - 1:
            model.eval()
            with torch.no_grad():
                v = model(*get(val, 64)).item()
            model.train()
            print(f"iter {it} train {loss.item():.2f} val {v:.2f}")


main()
