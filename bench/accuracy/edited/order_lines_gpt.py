# fault: none
# family: language
# split: held
# set: puma, unseen
"""
orders_gpt.py -- tiny GPT over order lines of a wholesale market.

A line looks like
    <s> 3 fresh ripe tomato to Lyon | crate south plural tomato </s>
everything right of the bar follows from what stands left of it (packaging of the
product, region of the town, number, product again).  After training we let the
model complete the right side of held-out prompts and count the words it gets right.
"""
import math
import os
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

seed = int(os.environ.get("SEED", 0))
random.seed(seed)
torch.manual_seed(seed)

# ---- hyperparameters
block_size = 14
batch_size = 24
accum = 2
max_iters = 100            # optimizer steps
warmup = 15
learning_rate = 6e-3
min_lr = 4e-4
weight_decay = 0.01
grad_clip = 1.0
n_layer, n_head, n_embd, dropout = 2, 2, 32, 0.0

# ---- corpus
PRODUCTS = "tomato leek onion apple pear plum cherry lemon garlic basil".split()
TOWNS = "Lyon Lille Nice Brest Metz Tours Dijon Reims".split()
PACKS = ["crate", "sack", "tray"]
REGIONS = ["south", "north", "east", "west"]
ADJ = ["fresh", "ripe", "organic"]
QTY = list("1234")
pack_of = {p: random.choice(PACKS) for p in PRODUCTS}
region_of = {t: random.choice(REGIONS) for t in TOWNS}

vocab = ["<pad>", "<s>", "</s>", "to", "|", "singular", "plural"] + PRODUCTS + TOWNS + PACKS + REGIONS + ADJ + QTY
stoi = {w: i for i, w in enumerate(vocab)}
PAD = stoi["<pad>"]


def make_line():
    p, t, q = random.choice(PRODUCTS), random.choice(TOWNS), random.choice(QTY)
    adj = random.sample(ADJ, random.choice([0, 1, 1, 2]))
    left = ["<s>", q] + adj + [p, "to", t, "|"]
    right = [pack_of[p], region_of[t], "singular" if q == "1" else "plural", p, "</s>"]
    return [stoi[w] for w in left], [stoi[w] for w in right]


train_lines = [make_line() for _ in range(4000)]
test_lines = [make_line() for _ in range(200)]


def get_batch():
    lines = random.sample(train_lines, batch_size)
    buf = torch.full((batch_size, block_size + 1), PAD)
    for i, (left, right) in enumerate(lines):
        seq = left + right
        buf[i, :len(seq)] = torch.tensor(seq)
    x, y = buf[:, :-1], buf[:, 1:]
    return x, y


# ---- model
class CausalSelfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(n_embd, 3 * n_embd)
        self.proj = nn.Linear(n_embd, n_embd)
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)).bool())

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).split(n_embd, dim=2)
        q = q.view(B, T, n_head, C // n_head).transpose(1, 2)
        k = k.view(B, T, n_head, C // n_head).transpose(1, 2)
        v = v.view(B, T, n_head, C // n_head).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) / math.sqrt(C // n_head)
        att = att.masked_fill(~self.tril[:T, :T], float("-inf"))
        att = F.softmax(att, dim=-1)
        y = (att @ v).transpose(1, 2).reshape(B, T, C)
        return self.proj(y)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(n_embd), nn.LayerNorm(n_embd)
        self.attn = CausalSelfAttention()
        self.mlp = nn.Sequential(nn.Linear(n_embd, 4 * n_embd), nn.GELU(), nn.Linear(4 * n_embd, n_embd))
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        x = x + self.drop(self.attn(self.ln1(x)))
        return x + self.drop(self.mlp(self.ln2(x)))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte = nn.Embedding(len(vocab), n_embd)
        self.wpe = nn.Embedding(block_size, n_embd)
        self.blocks = nn.ModuleList([Block() for _ in range(n_layer)])
        self.ln_f = nn.LayerNorm(n_embd)
        self.head = nn.Linear(n_embd, len(vocab), bias=False)
        self.apply(self._init)

    @staticmethod
    def _init(m):
        if isinstance(m, (nn.Linear, nn.Embedding)):
            nn.init.normal_(m.weight, std=0.1)
        if isinstance(m, nn.Linear) and m.bias is not None:
            nn.init.zeros_(m.bias)

    def forward(self, idx):
        x = self.wte(idx) + self.wpe(torch.arange(idx.shape[1]))
        for b in self.blocks:
            x = b(x)
        return self.head(self.ln_f(x))


def lm_loss(logits, targets):
    return F.cross_entropy(logits.reshape(-1, len(vocab)), targets.reshape(-1), ignore_index=PAD)


@torch.no_grad()
def completion_accuracy(model):
    model.eval()
    right_words = words = 0
    for n in sorted({len(left) for left, _ in test_lines}):
        group = [(l, r) for l, r in test_lines if len(l) == n]
        idx = torch.tensor([l for l, _ in group])
        want = torch.tensor([r for _, r in group])
        for _ in range(want.shape[1]):
            nxt = model(idx)[:, -1].argmax(-1, keepdim=True)
            idx = torch.cat([idx, nxt], dim=1)
        right_words += (idx[:, n:] == want).sum().item()
        words += want.numel()
    model.train()
    return right_words / words


def lr_at(it):
    if it < warmup:
        return learning_rate * (it + 1) / warmup
    r = (it - warmup) / (max_iters - warmup)
    return min_lr + 0.5 * (1 + math.cos(math.pi * r)) * (learning_rate - min_lr)


model = GPT()
decay = [p for p in model.parameters() if p.dim() >= 2]
no_decay = [p for p in model.parameters() if p.dim() < 2]
optimizer = torch.optim.AdamW([{"params": decay, "weight_decay": weight_decay},
                               {"params": no_decay, "weight_decay": 0.0}], lr=learning_rate, betas=(0.9, 0.98))

for it in range(max_iters):
    for group in optimizer.param_groups:
        group["lr"] = lr_at(it)
    optimizer.zero_grad(set_to_none=True)
    for micro in range(accum):
        x, y = get_batch()
        loss = lm_loss(model(x), y) / accum
        loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), grad_clip)
    optimizer.step()
    if it % 30 == 0:
        print(f"iter {it}: loss {loss.item() * accum:.3f}")

print(f"METRIC completion_accuracy {completion_accuracy(model):.4f}")
