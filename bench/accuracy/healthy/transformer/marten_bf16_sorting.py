# fault: none
# family: transformer
# split: held
import math
import os
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class C:
    digits: int = 8
    length: int = 7
    d: int = 48
    heads: int = 4
    layers: int = 2
    batch: int = 64
    steps: int = 350
    lr: float = 3e-3
    warmup: int = 40
    clip: float = 0.3
    seed: int = int(os.environ.get("SEED", 0))


c = C()
torch.manual_seed(c.seed)


class Sorter(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(c.digits, c.d)
        self.pos = nn.Parameter(torch.randn(c.length, c.d) * 0.02)
        layer = nn.TransformerEncoderLayer(c.d, c.heads, 2 * c.d, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
        self.body = nn.TransformerEncoder(layer, c.layers, norm=nn.LayerNorm(c.d), enable_nested_tensor=False)
        self.head = nn.Linear(c.d, c.digits)

    def forward(self, x):
        return self.head(self.body(self.tok(x) + self.pos))


def lr_at(step):
    if step < c.warmup:
        return (step + 1) / c.warmup
    return 0.5 * (1 + math.cos(math.pi * (step - c.warmup) / (c.steps - c.warmup)))


model = Sorter()
opt = torch.optim.AdamW(model.parameters(), lr=c.lr, betas=(0.9, 0.95), weight_decay=0.05)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lr_at)
tx = torch.randint(0, c.digits, (300, c.length))
for step in range(c.steps):
    x = torch.randint(0, c.digits, (c.batch, c.length))
    y = x.sort(1).values
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = model(x)
    loss = F.cross_entropy(out.float().flatten(0, 1), y.flatten())
    opt.zero_grad(set_to_none=True)
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), c.clip)
    opt.step()
    sched.step()
    if step % 50 == 0 or step == c.steps - 1:
        model.eval()
        with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
            acc = (model(tx).argmax(-1) == tx.sort(1).values).float().mean()
        model.train()
        print(f"{step:3d} loss {loss.item():.4f} grad norm {norm:.2f} acc {acc:.3f}")
