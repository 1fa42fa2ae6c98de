# fault: none
# family: accelerate
# split: held
# needs: accelerate
import os
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    seed: int = int(os.environ.get("SEED", 0))
    symbols: int = 10
    half: int = 6
    width: int = 48
    batch: int = 16
    accumulate: int = 4
    epochs: int = 6
    lr: float = 4e-3
    max_norm: float = 0.5


cfg = Config()
set_seed(cfg.seed)
SEP = cfg.symbols


def codes(n):
    a = torch.randint(0, cfg.symbols, (n, cfg.half))
    return TensorDataset(torch.cat([a, torch.full((n, 1), SEP), a], 1))


class Copier(nn.Module):
    """Decoder-only, the table of symbols serves as input and as output."""

    def __init__(self, c):
        super().__init__()
        n = 2 * c.half
        self.tok = nn.Embedding(c.symbols + 1, c.width)
        self.pos = nn.Parameter(0.1 * torch.randn(n, c.width))
        nn.init.normal_(self.tok.weight, std=0.1)
        layer = nn.TransformerEncoderLayer(c.width, 4, 2 * c.width, 0.0, batch_first=True, norm_first=True)
        self.body = nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(c.width), enable_nested_tensor=False)
        self.out = nn.Linear(c.width, c.symbols + 1, bias=False)
        self.out.weight = self.tok.weight
        self.register_buffer("mask", torch.triu(torch.full((n, n), float("-inf")), 1))

    def forward(self, ids):
        return self.out(self.body(self.tok(ids) + self.pos, mask=self.mask))


def answer_loss(model, seq):
    logits = model(seq[:, :-1])[:, cfg.half:]
    return F.cross_entropy(logits.flatten(0, 1), seq[:, cfg.half + 1:].flatten()), logits


acc = Accelerator(cpu=True, gradient_accumulation_steps=cfg.accumulate)
model = Copier(cfg)
opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr, betas=(0.9, 0.98), weight_decay=0.01)
model, opt, train, test = acc.prepare(model, opt, DataLoader(codes(1280), cfg.batch, shuffle=True),
                                      DataLoader(codes(256), 256))
for epoch in range(cfg.epochs):
    model.train()
    total = 0.0
    for (seq,) in train:
        with acc.accumulate(model):
            loss, _ = answer_loss(model, seq)
            acc.backward(loss)
            if acc.sync_gradients:
                acc.clip_grad_norm_(model.parameters(), cfg.max_norm)
            opt.step()
            opt.zero_grad()
        total += loss.item()
    model.eval()
    with torch.no_grad():
        (seq,) = next(iter(test))
        vl, logits = answer_loss(model, seq)
        ok = (logits.argmax(-1) == seq[:, cfg.half + 1:]).float().mean()
    acc.print(f"epoch {epoch} loss {total / len(train):.4f} val {vl.item():.4f} symbols right {ok.item():.3f}")
