# fault: layers-not-registered
# cause_class: not-updated, structure
# family: seqtoseq
# split: tune
import os
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F

BOS = 0


@dataclass
class Config:
    vocab: int = 14
    length: int = 6
    hidden: int = 48
    layers: int = 2
    lr: float = 3e-3
    steps: int = 350
    seed: int = int(os.environ.get("SEED", 0))


class StackedGRU(nn.Module):
    """GRU cells one over the other, so that the states can be looked at."""

    def __init__(self, d, layers):
        super().__init__()
        self.cells = [nn.GRUCell(d, d) for _ in range(layers)]

    def forward(self, xs, hs=None):
        hs = hs or [torch.zeros(xs.shape[0], xs.shape[2]) for _ in self.cells]
        out = []
        for t in range(xs.shape[1]):
            h = xs[:, t]
            for i, cell in enumerate(self.cells):
                hs[i] = cell(h, hs[i])
                h = hs[i]
            out.append(h)
        return torch.stack(out, 1), hs


class Seq2Seq(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.emb = nn.Embedding(c.vocab, c.hidden)
        self.encoder, self.decoder = StackedGRU(c.hidden, c.layers), StackedGRU(c.hidden, c.layers)
        self.out = nn.Linear(2 * c.hidden, c.vocab)

    def forward(self, src, tgt_in):
        mem, hs = self.encoder(self.emb(src))
        dec, _ = self.decoder(self.emb(tgt_in), list(hs))
        att = F.softmax(dec @ mem.transpose(1, 2) / dec.shape[-1] ** 0.5, dim=-1)
        return self.out(torch.cat([dec, att @ mem], -1))


def batch(c, n=32):
    src = torch.randint(1, c.vocab, (n, c.length))
    tgt = src.flip(1)
    return src, torch.cat([torch.full((n, 1), BOS), tgt[:, :-1]], 1), tgt


def main(c=Config()):
    torch.manual_seed(c.seed)
    model = Seq2Seq(c)
    opt = torch.optim.Adam(model.parameters(), lr=c.lr)
    for step in range(1, c.steps + 1):
        src, tin, tgt = batch(c)
        loss = F.cross_entropy(model(src, tin).flatten(0, 1), tgt.flatten())
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        if step % 50 == 0:
            with torch.no_grad():
                src, tin, tgt = batch(c, 100)
                acc = (model(src, tin).argmax(-1) == tgt).float().mean().item()
            print(f"step {step} loss {loss.item():.3f} token acc {acc:.3f}")


main()
