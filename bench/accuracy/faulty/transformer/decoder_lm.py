# fault: target-leak
# cause_class: structure, data-loading, labels
# family: transformer
# split: tune
"""Character-level language model over a small grammar, then a sample from it."""
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


class Tokenizer:
    def __init__(self, text):
        self.chars = sorted(set(text))
        self.index = {c: i for i, c in enumerate(self.chars)}

    def encode(self, s):
        return torch.tensor([self.index[c] for c in s])

    def decode(self, ids):
        return "".join(self.chars[i] for i in ids)


class Block(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.attn = nn.MultiheadAttention(d, heads, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x, mask=None):
        h = self.ln1(x)
        x = x + self.attn(h, h, h, attn_mask=mask, need_weights=False)[0]
        return x + self.mlp(self.ln2(x))


class CharLM(nn.Module):
    def __init__(self, vocab, d=48, heads=4, layers=2, context=32):
        super().__init__()
        self.context = context
        self.tok, self.pos = nn.Embedding(vocab, d), nn.Embedding(context, d)
        self.blocks = nn.ModuleList(Block(d, heads) for _ in range(layers))
        self.ln, self.out = nn.LayerNorm(d), nn.Linear(d, vocab)
        self.register_buffer("mask", torch.triu(torch.ones(context, context, dtype=torch.bool), 1))

    def forward(self, ids):
        t = ids.shape[1]
        x = self.tok(ids) + self.pos.weight[:t]
        for block in self.blocks:
            x = block(x)
        return self.out(self.ln(x))

    @torch.no_grad()
    def generate(self, ids, n):
        for _ in range(n):
            logits = self(ids[:, -self.context:])[:, -1]
            ids = torch.cat([ids, torch.multinomial(logits.softmax(-1), 1)], 1)
        return ids


text = corpus(900)
tok = Tokenizer(text)
data = tok.encode(text)
train, valid = data[:-3000], data[-3000:]


def batch(source, n, length=32):
    start = torch.randint(0, len(source) - length - 1, (n,))
    x = torch.stack([source[s:s + length] for s in start])
    y = torch.stack([source[s + 1:s + length + 1] for s in start])
    return x, y


model = CharLM(len(tok.chars))
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.01)
criterion = nn.CrossEntropyLoss()
for step in range(1, 201):
    model.train()
    x, y = batch(train, 24)
    loss = criterion(model(x).flatten(0, 1), y.flatten())
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    if step % 40 == 0:
        model.eval()
        with torch.no_grad():
            x, y = batch(valid, 64)
            v = criterion(model(x).flatten(0, 1), y.flatten())
        print(f"step {step} loss {loss.item():.4f} valid {v.item():.4f}")
model.eval()
print(repr(tok.decode(model.generate(tok.encode("the cat ")[None], 60)[0].tolist())))
