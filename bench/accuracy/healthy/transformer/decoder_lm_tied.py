# fault: none
# family: transformer
# split: held
"""Character-level language model over a small grammar: causal, tied embeddings, warm-up and cosine."""
import math
import os
import random

import torch
from torch import nn

SEED = int(os.environ.get("SEED", "0"))
random.seed(SEED)
torch.manual_seed(SEED)

SUBJECTS = ["the cat", "a dog", "my bird", "the old man"]
VERBS = ["sees", "likes", "hears", "follows"]
OBJECTS = ["a tree", "the sun", "my house", "a river", "the moon"]


def corpus(n):
    return "".join(f"{random.choice(SUBJECTS)} {random.choice(VERBS)} {random.choice(OBJECTS)}. " for _ in range(n))


class Block(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.attn = nn.MultiheadAttention(d, heads, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x, mask):
        h = self.ln1(x)
        x = x + self.attn(h, h, h, attn_mask=mask, need_weights=False)[0]
        return x + self.mlp(self.ln2(x))


class CharLM(nn.Module):
    def __init__(self, vocab, d=48, heads=4, layers=2, context=32):
        super().__init__()
        self.context = context
        self.tok, self.pos = nn.Embedding(vocab, d), nn.Embedding(context, d)
        self.blocks = nn.ModuleList(Block(d, heads) for _ in range(layers))
        self.ln, self.out = nn.LayerNorm(d), nn.Linear(d, vocab, bias=False)
        nn.init.normal_(self.tok.weight, std=0.02)
        nn.init.normal_(self.pos.weight, std=0.02)
        self.out.weight = self.tok.weight
        self.register_buffer("mask", torch.triu(torch.ones(context, context, dtype=torch.bool), 1))

    def forward(self, ids):
        t = ids.shape[1]
        x = self.tok(ids) + self.pos.weight[:t]
        for block in self.blocks:
            x = block(x, self.mask[:t, :t])
        return self.out(self.ln(x))

    @torch.no_grad()
    def generate(self, ids, n):
        for _ in range(n):
            logits = self(ids[:, -self.context:])[:, -1]
            ids = torch.cat([ids, torch.multinomial(logits.softmax(-1), 1)], 1)
        return ids


text = corpus(900)
chars = sorted(set(text))
data = torch.tensor([chars.index(c) for c in text])
train, valid = data[:-3000], data[-3000:]


def batch(source, n, length=32):
    start = torch.randint(0, len(source) - length - 1, (n,))
    return (torch.stack([source[s:s + length] for s in start]), torch.stack([source[s + 1:s + length + 1] for s in start]))


STEPS, WARMUP = 200, 30
model = CharLM(len(chars))
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
scheduler = torch.optim.lr_scheduler.LambdaLR(
    optimizer, lambda s: min((s + 1) / WARMUP, 0.5 * (1 + math.cos(math.pi * s / STEPS))))
criterion = nn.CrossEntropyLoss()
for step in range(1, STEPS + 1):
    model.train()
    x, y = batch(train, 24)
    loss = criterion(model(x).flatten(0, 1), y.flatten())
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    scheduler.step()
    if step % 40 == 0:
        model.eval()
        with torch.no_grad():
            x, y = batch(valid, 64)
            v = criterion(model(x).flatten(0, 1), y.flatten())
        print(f"step {step} loss {loss.item():.4f} valid {v.item():.4f}")
model.eval()
print(repr("".join(chars[i] for i in model.generate(torch.tensor([[chars.index(c) for c in "the cat "]]), 60)[0].tolist())))
