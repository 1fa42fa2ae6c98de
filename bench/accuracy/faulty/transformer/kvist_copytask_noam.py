# fault: learning-rate-too-low
# cause_class: learning-rate, optimizer, epochs
# family: transformer
# split: held
import os
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Cfg:
    vocab: int = 16
    length: int = 10
    d_model: int = 48
    heads: int = 4
    batch: int = 32
    peak: float = 2e-3
    warmup: int = 40
    steps: int = 350
    seed: int = int(os.environ.get("SEED", 0))


class Reverser(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.tok = nn.Embedding(c.vocab, c.d_model)
        self.pos = nn.Parameter(0.1 * torch.randn(c.length, c.d_model))
        layer = nn.TransformerEncoderLayer(c.d_model, c.heads, 96, dropout=0.0, batch_first=True, norm_first=True)
        self.enc = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(c.d_model, c.vocab)

    def forward(self, x):
        return self.head(self.enc(self.tok(x) + self.pos))


def schedule(c):
    def at(step):
        step = step + 1
        return c.peak * min(step / c.warmup, (c.warmup / step) ** 0.5)
    return at


def main():
    c = Cfg()
    torch.manual_seed(c.seed)
    model = Reverser(c)
    opt = torch.optim.Adam(model.parameters(), lr=c.peak, betas=(0.9, 0.98))
    sched = torch.optim.lr_scheduler.LambdaLR(opt, schedule(c))
    for step in range(c.steps):
        x = torch.randint(0, c.vocab, (c.batch, c.length))
        y = x.flip(1)
        loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        if step % 50 == 0 or step == c.steps - 1:
            print(f"{step:4d} ce={loss.item():.4f}")
    with torch.no_grad():
        x = torch.randint(0, c.vocab, (200, c.length))
        print("accuracy", (model(x).argmax(-1) == x.flip(1)).float().mean().item())


main()
