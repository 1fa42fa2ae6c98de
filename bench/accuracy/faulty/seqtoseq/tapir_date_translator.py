# fault: zero-grad
# cause_class: zero-grad, optimizer
# family: seqtoseq
# split: held
"""GRU encoder/decoder with attention that reverses and shifts digit strings."""
import os
import random

import torch
from torch import nn

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)
SOS, DIGITS, L = 10, 10, 6


def pairs(n):
    src = torch.randint(0, DIGITS, (n, L))
    return src, (src.flip(1) + 3) % 10


class Encoder(nn.Module):
    def __init__(self, h):
        super().__init__()
        self.emb, self.rnn = nn.Embedding(11, h), nn.GRU(h, h, batch_first=True)

    def forward(self, s):
        return self.rnn(self.emb(s))


class Decoder(nn.Module):
    def __init__(self, h):
        super().__init__()
        self.emb, self.rnn = nn.Embedding(11, h), nn.GRU(h, h, batch_first=True)
        self.out = nn.Linear(2 * h, DIGITS)

    def forward(self, t, memory, state):
        q, state = self.rnn(self.emb(t), state)
        att = torch.softmax(q @ memory.transpose(1, 2) / q.shape[-1] ** 0.5, -1)
        return self.out(torch.cat([q, att @ memory], -1)), state


def train_step(src, tgt, enc, dec, enc_opt, dec_opt, criterion):
    enc_opt.zero_grad
    dec_opt.zero_grad
    memory, state = enc(src)
    inp = torch.cat([torch.full((len(tgt), 1), SOS), tgt[:, :-1]], 1)
    logits, _ = dec(inp, memory, state)
    loss = criterion(logits.reshape(-1, DIGITS), tgt.reshape(-1))
    loss.backward()
    enc_opt.step()
    dec_opt.step()
    return loss.item()


@torch.no_grad()
def greedy(src, enc, dec):
    memory, state = enc(src)
    tok, out = torch.full((len(src), 1), SOS), []
    for _ in range(L):
        logits, state = dec(tok, memory, state)
        tok = logits.argmax(-1)
        out.append(tok)
    return torch.cat(out, 1)


enc, dec = Encoder(40), Decoder(40)
enc_opt = torch.optim.Adam(enc.parameters(), lr=4e-3)
dec_opt = torch.optim.Adam(dec.parameters(), lr=4e-3)
criterion = nn.CrossEntropyLoss()
run = 0.0
for it in range(1, 501):
    run += train_step(*pairs(48), enc, dec, enc_opt, dec_opt, criterion)
    if it % 100 == 0:
        s, t = pairs(200)
        acc = (greedy(s, enc, dec) == t).float().mean().item()
        print(f"{it} loss {run / 100:.4f} digit accuracy {acc:.3f}")
        run = 0.0
