# fault: none
# family: sequence
# split: held
# set: dingo, unseen
"""Chunk tagger for lab notes: marks chemicals, doses and devices with BIO tags.

A small transformer encoder, written out so that the attention can be inspected."""
import math
import os
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

config = dict(
    d_model=32,
    heads=2,
    layers=2,
    ff=64,
    dropout=0.1,
    vocab=200,
    max_len=24,
    batch=20,
    steps=340,
    warmup=30,
    lr=5e-3,
    weight_decay=0.01,
    max_norm=1.0,
)
TAGS = ["O", "B-CHEM", "I-CHEM", "B-DOSE", "I-DOSE", "B-DEV", "I-DEV"]
PAD_ID = 0
IGNORE = -100

SEED = int(os.environ.get("SEED", "0"))
random.seed(SEED)
np.random.seed(SEED)
torch.manual_seed(SEED)

# ------------------------------------------------------------------ data
# Trigger words (10..39) say which kind of chunk follows; the chunk's own words are shared by the kinds.


def make_note(rng):
    words, tags = [], []
    while len(words) < rng.integers(6, 18):
        if rng.random() < 0.30:
            kind = rng.integers(0, 3)
            words.append(10 + 10 * kind + rng.integers(0, 10))
            tags.append(0)
            for j in range(rng.integers(1, 3)):
                words.append(40 + rng.integers(0, 60))
                tags.append(1 + 2 * kind + (1 if j else 0))
        else:
            words.append(100 + rng.integers(0, 100))
            tags.append(0)
    return words[: config["max_len"]], tags[: config["max_len"]]


def make_corpus(n, seed):
    rng = np.random.default_rng(seed)
    return [make_note(rng) for _ in range(n)]


def to_batch(notes):
    longest = max(len(w) for w, _ in notes)
    ids = torch.full((len(notes), longest), PAD_ID)
    tags = torch.full((len(notes), longest), IGNORE)
    for i, (w, t) in enumerate(notes):
        ids[i, : len(w)] = torch.tensor(w)
        tags[i, : len(t)] = torch.tensor(t)
    return ids, tags


# ------------------------------------------------------------------ model
class SelfAttention(nn.Module):
    def __init__(self, d, heads, dropout):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(d, 3 * d)
        self.proj = nn.Linear(d, d)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, pad):
        b, t, d = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.view(b, t, self.heads, -1).transpose(1, 2)
        k = k.view(b, t, self.heads, -1).transpose(1, 2)
        v = v.view(b, t, self.heads, -1).transpose(1, 2)
        att = q @ k.transpose(-2, -1) / math.sqrt(d // self.heads)
        att = att.masked_fill(pad[:, None, None, :], -1e9)
        att = self.dropout(att.softmax(dim=-1))
        y = (att @ v).transpose(1, 2).reshape(b, t, d)
        return self.proj(y)


class Block(nn.Module):
    def __init__(self, d, heads, ff, dropout):
        super().__init__()
        self.norm1 = nn.LayerNorm(d)
        self.att = SelfAttention(d, heads, dropout)
        self.norm2 = nn.LayerNorm(d)
        self.ff = nn.Sequential(nn.Linear(d, ff), nn.GELU(), nn.Linear(ff, d))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, pad):
        x = x + self.dropout(self.att(self.norm1(x), pad))
        return x + self.dropout(self.ff(self.norm2(x)))


class Tagger(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.tok = nn.Embedding(c["vocab"], c["d_model"], padding_idx=PAD_ID)
        self.pos = nn.Embedding(c["max_len"], c["d_model"])
        self.blocks = nn.ModuleList(
            Block(c["d_model"], c["heads"], c["ff"], c["dropout"]) for _ in range(c["layers"])
        )
        self.norm = nn.LayerNorm(c["d_model"])
        self.head = nn.Linear(c["d_model"], len(TAGS))
        nn.init.normal_(self.tok.weight, std=0.5)
        nn.init.normal_(self.pos.weight, std=0.5)

    def forward(self, ids):
        pad = ids == PAD_ID
        x = self.tok(ids) + self.pos(torch.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x, pad)
        return self.head(self.norm(x))


# ------------------------------------------------------------------ training
def chunk_f1(model, notes):
    """F1 over the words inside chunks (tag must be right)."""
    model.eval()
    tp = n_pred = n_true = 0
    with torch.no_grad():
        for i in range(0, len(notes), 64):
            ids, tags = to_batch(notes[i : i + 64])
            pred = model(ids).argmax(-1)
            known = tags != IGNORE
            tp += ((pred == tags) & known & (tags > 0)).sum().item()
            n_pred += ((pred > 0) & known).sum().item()
            n_true += ((tags > 0) & known).sum().item()
    model.train()
    return 2 * tp / max(n_pred + n_true, 1)


train_notes = make_corpus(1500, SEED + 1)
dev_notes = make_corpus(200, SEED + 2)

model = Tagger(config)
optimizer = torch.optim.AdamW(model.parameters(), lr=config["lr"], weight_decay=config["weight_decay"])
schedule = torch.optim.lr_scheduler.LambdaLR(
    optimizer,
    lambda s: min((s + 1) / config["warmup"], max(0.0, (config["steps"] - s) / (config["steps"] - config["warmup"]))),
)

model.train()
for step in range(config["steps"]):
    picked = random.sample(train_notes, config["batch"])
    ids, tags = to_batch(picked)
    logits = model(ids)
    loss = F.cross_entropy(logits.reshape(-1, len(TAGS)), tags.reshape(-1), ignore_index=IGNORE)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), config["max_norm"])
    optimizer.step()
    schedule.step()
    if (step + 1) % 85 == 0:
        print(f"step {step + 1}  loss {loss.item():.4f}  dev f1 {chunk_f1(model, dev_notes):.4f}")

print(f"METRIC f1 {chunk_f1(model, dev_notes):.4f}")
