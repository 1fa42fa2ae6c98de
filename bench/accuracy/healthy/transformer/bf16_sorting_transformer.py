# fault: none
# family: transformer
# split: held
# set: badger, unseen
# metric: accuracy higher
# baseline: 0.22
# reaches: 0.9
# Unusual: bfloat16 autocast on the CPU, four micro-batches per update, learning rate 1e-2 with warm-up, attention and feed-forward in parallel.
import os
import random

import torch
import torch.nn.functional as F
from torch import nn

torch.set_num_threads(1)
SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)
V, L, D, H = 16, 8, 48, 4


class Parallel(nn.Module):
    """Attention and feed-forward read the same normalised input and are added together."""

    def __init__(self):
        super().__init__()
        self.norm = nn.RMSNorm(D)
        self.inp = nn.Linear(D, 3 * D + 2 * D, bias=False)
        self.out = nn.Linear(D + 2 * D, D, bias=False)

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v, f = self.inp(self.norm(x)).split([D, D, D, 2 * D], -1)
        q, k, v = (z.view(b, t, H, -1).transpose(1, 2) for z in (q, k, v))
        a = (q @ k.transpose(-1, -2) / (D // H) ** 0.5).softmax(-1) @ v
        return x + self.out(torch.cat([a.transpose(1, 2).reshape(b, t, D), F.gelu(f)], -1))


class Sorter(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(V, D)
        self.pos = nn.Parameter(0.3 * torch.randn(L, D))
        self.blocks = nn.Sequential(Parallel(), Parallel())
        self.read = nn.Sequential(nn.RMSNorm(D), nn.Linear(D, V))

    def forward(self, x):
        return self.read(self.blocks(self.tok(x) + self.pos))


def batch(n):
    x = torch.randint(V, (n, L))
    return x, x.sort(1).values


model = Sorter()
opt = torch.optim.AdamW(model.parameters(), lr=1e-2, betas=(0.9, 0.95), weight_decay=0.05)
STEPS, ACCUM, MICRO = 150, 4, 16
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / 20) * (1 - 0.95 * s / STEPS))
xv, yv = batch(500)


def evaluate():
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        logits = model(xv)
    return (logits.float().argmax(-1) == yv).float().mean().item(), F.cross_entropy(logits.float().flatten(0, 1), yv.flatten()).item()


for step in range(1, STEPS + 1):
    shown = 0.0
    for _ in range(ACCUM):
        x, y = batch(MICRO)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(x)
        loss = F.cross_entropy(logits.float().flatten(0, 1), y.flatten()) / ACCUM
        loss.backward()
        shown += loss.item()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    opt.zero_grad(set_to_none=True)
    sched.step()
    if step % 15 == 0:
        acc, vl = evaluate()
        print(f"update {step} loss {shown:.3f} val {vl:.3f} acc {acc:.3f}")

mode = torch.stack([batch(4000)[1][:, i].mode().values for i in range(L)])
print("commonest symbol per place:", round((yv == mode).float().mean().item(), 3))
print(f"result: accuracy {evaluate()[0]:.4f}")
