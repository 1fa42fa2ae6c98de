# fault: none
# family: transformer
# split: held
# set: heron, unseen
# metric: bits_per_char lower
# baseline: 4.1
# reaches: 0.6
# Unusual: cosine warm restarts make the loss jump up twice on purpose; it comes back lower each time
import math
import os
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

seed = int(os.environ.get("SEED", 0))
random.seed(seed)
torch.manual_seed(seed)

NOUNS = "farmer otter lantern river window pilot engine garden doctor violin".split()
ADJS = "quiet broken golden heavy curious northern".split()
VERBS = "finds paints follows repairs ignores carries".split()


def sentence(rng):
    s = f"the {rng.choice(ADJS)} {rng.choice(NOUNS)} {rng.choice(VERBS)} the {rng.choice(NOUNS)}"
    if rng.random() < 0.3:
        s += f" and the {rng.choice(NOUNS)}"
    return s + ". "


train_text = "".join(sentence(random) for _ in range(1500))
valid_text = "".join(sentence(random) for _ in range(200))
chars = sorted(set(train_text))
stoi = {c: i for i, c in enumerate(chars)}
train_ids = torch.tensor([stoi[c] for c in train_text])
valid_ids = torch.tensor([stoi[c] for c in valid_text])
CTX, BATCH = 40, 24


class Block(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv = nn.Linear(d, 3 * d)
        self.proj = nn.Linear(d, d)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))
        self.heads = heads

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(self.ln1(x)).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(a.transpose(1, 2).reshape(b, t, d))
        return x + self.mlp(self.ln2(x))


class CharLM(nn.Module):
    def __init__(self, vocab, d=48, layers=2, heads=4):
        super().__init__()
        self.tok = nn.Embedding(vocab, d)
        self.pos = nn.Parameter(torch.randn(CTX, d) * 0.02)
        self.blocks = nn.ModuleList(Block(d, heads) for _ in range(layers))
        self.ln = nn.LayerNorm(d)
        self.head = nn.Linear(d, vocab)

    def forward(self, ids):
        x = self.tok(ids) + self.pos[: ids.shape[1]]
        for blk in self.blocks:
            x = blk(x)
        return self.head(self.ln(x))


def windows(ids, starts):
    x = torch.stack([ids[s : s + CTX] for s in starts])
    y = torch.stack([ids[s + 1 : s + CTX + 1] for s in starts])
    return x, y


@torch.no_grad()
def evaluate(model):
    model.eval()
    x, y = windows(valid_ids, range(0, len(valid_ids) - CTX - 1, CTX))
    loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
    model.train()
    return loss.item()


model = CharLM(len(chars))
opt = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=0.05)
sched = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, T_0=50, T_mult=2, eta_min=1e-5)
for step in range(350):
    x, y = windows(train_ids, torch.randint(0, len(train_ids) - CTX - 1, (BATCH,)).tolist())
    loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    sched.step()
    if step % 25 == 24:
        print(f"step {step + 1} train {loss.item():.3f} valid {evaluate(model):.3f} lr {sched.get_last_lr()[0]:.5f}")

print(f"result: bits_per_char {evaluate(model) / math.log(2):.4f}")
