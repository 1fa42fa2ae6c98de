# fault: none
# family: transformer
# split: held
# set: badger, unseen
# metric: accuracy higher
# baseline: 0.06
# reaches: 0.8
"""Small causal transformer on repeated random strings; head and residual outputs start at zero.

Blocks are recomputed in the backward pass (torch.utils.checkpoint).
"""
import os
import random
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)

V, HALF, D, HEADS = 16, 10, 48, 4
T = 2 * HALF


def sample(n):
    s = torch.randint(V, (n, HALF))
    return torch.cat([s, s], 1)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(D), nn.LayerNorm(D)
        self.qkv = nn.Linear(D, 3 * D)
        self.o = nn.Linear(D, D)
        self.ff1, self.ff2 = nn.Linear(D, 2 * D), nn.Linear(2 * D, D)
        nn.init.zeros_(self.o.weight)
        nn.init.zeros_(self.ff2.weight)

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = self.qkv(self.n1(x)).view(b, t, 3, HEADS, D // HEADS).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(a.transpose(1, 2).reshape(b, t, D))
        return x + self.ff2(F.gelu(self.ff1(self.n2(x))))


class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(V, D)
        self.pos = nn.Parameter(torch.randn(T, D) * 0.3)
        self.blocks = nn.ModuleList([Block(), Block()])
        self.norm = nn.LayerNorm(D)
        self.head = nn.Linear(D, V)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, x):
        h = self.tok(x) + self.pos[: x.shape[1]]
        for blk in self.blocks:
            h = checkpoint(blk, h, use_reentrant=False) if self.training else blk(h)
        return self.head(self.norm(h))


def second_half(model, seq):
    logits = model(seq[:, :-1])[:, HALF:]
    return logits, seq[:, HALF + 1:]


model = LM()
opt = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
held = sample(400)
for step in range(1, 601):
    seq = sample(32)
    logits = model(seq[:, :-1])
    loss = F.cross_entropy(logits[:, HALF:].reshape(-1, V), seq[:, HALF + 1:].reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 0:
        model.eval()
        with torch.no_grad():
            lg, tg = second_half(model, held)
            vl = F.cross_entropy(lg.reshape(-1, V), tg.reshape(-1)).item()
        model.train()
        print(f"step {step} train {loss.item():.3f} held {vl:.3f}")

model.eval()
with torch.no_grad():
    lg, tg = second_half(model, held)
acc = (lg.argmax(-1) == tg).float().mean().item()
mode = held[:, :HALF].flatten().bincount(minlength=V).argmax()
print("constant symbol", (tg == mode).float().mean().item())
print("result: accuracy", round(acc, 4))
