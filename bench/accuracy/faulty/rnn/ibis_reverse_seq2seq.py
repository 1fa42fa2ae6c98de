# fault: detached-mid-network
# cause_class: not-updated, structure
# family: rnn
# split: held
import os
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

seed = int(os.environ.get("SEED", 0))
random.seed(seed)
torch.manual_seed(seed)

PAD, BOS, EOS, BASE = 0, 1, 2, 3
DIGITS = 8
VOCAB = BASE + DIGITS


def make_batch(n):
    """the source is a number string, the target the same string reversed"""
    length = random.randint(3, 5)
    src = torch.randint(BASE, VOCAB, (n, length))
    tgt = torch.cat([torch.full((n, 1), BOS), src.flip(1), torch.full((n, 1), EOS)], dim=1)
    return src, tgt


class Encoder(nn.Module):
    def __init__(self, dim=24, hidden=64):
        super().__init__()
        self.embedding = nn.Embedding(VOCAB, dim)
        self.gru = nn.GRU(dim, hidden, batch_first=True)

    def forward(self, src):
        output, hidden = self.gru(self.embedding(src))
        return output, hidden


class Decoder(nn.Module):
    def __init__(self, dim=24, hidden=64):
        super().__init__()
        self.embedding = nn.Embedding(VOCAB, dim)
        self.gru = nn.GRU(dim, hidden, batch_first=True)
        self.out = nn.Linear(hidden, VOCAB)

    def step(self, token, hidden):
        o, hidden = self.gru(F.relu(self.embedding(token)), hidden)
        return self.out(o), hidden


class Seq2Seq(nn.Module):
    def __init__(self, teacher_forcing=0.8):
        super().__init__()
        self.encoder, self.decoder = Encoder(), Decoder()
        self.teacher_forcing = teacher_forcing

    def forward(self, src, tgt):
        _, hidden = self.encoder(src)
        hidden = hidden.detach()
        token, outs = tgt[:, :1], []
        for t in range(1, tgt.shape[1]):
            logits, hidden = self.decoder.step(token, hidden)
            outs.append(logits)
            if self.training and random.random() < self.teacher_forcing:
                token = tgt[:, t:t + 1]
            else:
                token = logits.argmax(-1).detach()
        return torch.cat(outs, 1)


model = Seq2Seq()
enc_opt = torch.optim.Adam(model.encoder.parameters(), lr=3e-3)
dec_opt = torch.optim.Adam(model.decoder.parameters(), lr=3e-3)

total = 0.0
for it in range(1, 501):
    model.train()
    src, tgt = make_batch(32)
    logits = model(src, tgt)
    loss = F.cross_entropy(logits.reshape(-1, VOCAB), tgt[:, 1:].reshape(-1))
    enc_opt.zero_grad()
    dec_opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    enc_opt.step()
    dec_opt.step()
    total += loss.item()
    if it % 50 == 0:
        model.eval()
        with torch.no_grad():
            s, t = make_batch(200)
            acc = (model(s, t).argmax(-1) == t[:, 1:]).float().mean().item()
        print(f"iter {it} loss {total / 50:.4f} token acc {acc:.3f}")
        total = 0.0
