# fault: target-leak
# cause_class: structure, data-loading
# family: language
# split: held
# Toy GPT over cooking instructions. Karpathy style, but with SDPA and AdamW groups.
import os, math, random
from dataclasses import dataclass
import torch, torch.nn as nn
from torch.nn import functional as F

seed = int(os.environ.get('SEED', '0'))
random.seed(seed)
torch.manual_seed(seed)

VERBS = ['chop', 'boil', 'fry', 'roast', 'mix', 'peel']
FOODS = {'chop': ['onions', 'leeks'], 'boil': ['rice', 'eggs'], 'fry': ['tofu', 'bacon'],
         'roast': ['beets', 'squash'], 'mix': ['flour', 'cream'], 'peel': ['carrots', 'mangos']}
TIMES = {'chop': 'quickly', 'boil': 'for ten minutes', 'fry': 'in oil', 'roast': 'for one hour', 'mix': 'in a bowl', 'peel': 'by hand'}

def sentence():
    v = random.choice(VERBS)
    return f"{v} the {random.choice(FOODS[v])} {TIMES[v]}. "

text = ''.join(sentence() for _ in range(800))
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
ids = torch.tensor([stoi[c] for c in text])
cut = int(0.9 * len(ids))
train_ids, val_ids = ids[:cut], ids[cut:]

@dataclass
class Cfg:
    block: int = 32
    n_embd: int = 32
    n_head: int = 4
    n_layer: int = 2
    batch: int = 16
    steps: int = 240
    lr: float = 5e-3

cfg = Cfg()

class Attn(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.qkv = nn.Linear(c.n_embd, 3 * c.n_embd)
        self.proj = nn.Linear(c.n_embd, c.n_embd)
        self.h = c.n_head

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).split(C, dim=2)
        q, k, v = (t.view(B, T, self.h, C // self.h).transpose(1, 2) for t in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v)
        return self.proj(y.transpose(1, 2).reshape(B, T, C))

class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(c.n_embd), nn.LayerNorm(c.n_embd)
        self.attn = Attn(c)
        self.mlp = nn.Sequential(nn.Linear(c.n_embd, 4 * c.n_embd), nn.GELU(), nn.Linear(4 * c.n_embd, c.n_embd))

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))

class GPT(nn.Module):
    def __init__(self, c, vocab):
        super().__init__()
        self.wte = nn.Embedding(vocab, c.n_embd)
        self.wpe = nn.Embedding(c.block, c.n_embd)
        self.blocks = nn.ModuleList(Block(c) for _ in range(c.n_layer))
        self.lnf = nn.LayerNorm(c.n_embd)
        self.head = nn.Linear(c.n_embd, vocab, bias=False)
        self.apply(self._init)
        self.head.weight = self.wte.weight

    def _init(self, m):
        if isinstance(m, (nn.Linear, nn.Embedding)):
            nn.init.normal_(m.weight, std=0.02)

    def forward(self, idx, targets=None):
        x = self.wte(idx) + self.wpe(torch.arange(idx.size(1)))
        for b in self.blocks:
            x = b(x)
        logits = self.head(self.lnf(x))
        if targets is None:
            return logits
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())

def get_batch(src):
    ix = torch.randint(len(src) - cfg.block - 1, (cfg.batch,))
    x = torch.stack([src[i:i + cfg.block] for i in ix])
    y = torch.stack([src[i + 1:i + cfg.block + 1] for i in ix])
    return x, y

@torch.no_grad()
def next_char_accuracy(model, n=200):
    # what we need at sampling time: only the prefix is there
    model.eval()
    good = 0
    for _ in range(4):
        L = random.randint(16, cfg.block)
        ix = torch.randint(len(val_ids) - L - 1, (n // 4,))
        x = torch.stack([val_ids[i:i + L] for i in ix])
        y = val_ids[ix + L]
        good += (model(x)[:, -1].argmax(-1) == y).sum().item()
    model.train()
    return good / n

model = GPT(cfg, len(chars))
decay = [p for p in model.parameters() if p.dim() >= 2]
rest = [p for p in model.parameters() if p.dim() < 2]
opt = torch.optim.AdamW([{'params': decay, 'weight_decay': 0.1}, {'params': rest, 'weight_decay': 0.0}],
                        lr=cfg.lr, betas=(0.9, 0.95))
for step in range(cfg.steps):
    lr = cfg.lr * min(1, (step + 1) / 20) * (0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi * step / cfg.steps)))
    for g in opt.param_groups:
        g['lr'] = lr
    x, y = get_batch(train_ids)
    _, loss = model(x, y)
    opt.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    if step % 50 == 0 or step == cfg.steps - 1:
        print(f'step {step:4d} loss {loss.item():.4f}')
print('next char accuracy', next_char_accuracy(model))

ctx = torch.tensor([[stoi[c] for c in 'boil the ']])
model.eval()
with torch.no_grad():
    for _ in range(35):
        nxt = model(ctx[:, -cfg.block:])[:, -1].argmax(-1, keepdim=True)
        ctx = torch.cat([ctx, nxt], 1)
print(repr(''.join(chars[i] for i in ctx[0].tolist())))
