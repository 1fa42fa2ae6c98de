# fault: none
# family: rnn
# split: tune
# Sequence reversal with encoder, decoder and attention; teacher forcing half of the time; two optimisers.
import os
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = int(os.environ.get("SEED", "0"))
random.seed(SEED)
torch.manual_seed(SEED)

SOS, V, L, H = 0, 10, 6, 48


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(V, H)
        self.gru = nn.GRU(H, H, batch_first=True)

    def forward(self, x):
        return self.gru(self.embedding(x))


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(V, H)
        self.gru = nn.GRU(2 * H, H, batch_first=True)
        self.query = nn.Linear(2 * H, L)
        self.out = nn.Linear(H, V)

    def forward(self, token, hidden, memory):
        e = self.embedding(token)
        attn = F.softmax(self.query(torch.cat([e, hidden[0]], 1)), dim=1)
        ctx = torch.bmm(attn.unsqueeze(1), memory)
        y, hidden = self.gru(torch.cat([e.unsqueeze(1), ctx], 2), hidden)
        return self.out(y[:, 0]), hidden


enc, dec = Encoder(), Decoder()
enc_opt = torch.optim.Adam(enc.parameters(), lr=5e-3)
dec_opt = torch.optim.Adam(dec.parameters(), lr=5e-3)
criterion = nn.CrossEntropyLoss()


def train_step(src, tgt):
    enc_opt.zero_grad()
    dec_opt.zero_grad()
    memory, hidden = enc(src)
    token = torch.full((len(src),), SOS)
    forced = random.random() < 0.5
    loss = 0
    for t in range(L):
        logits, hidden = dec(token, hidden, memory)
        loss = loss + criterion(logits, tgt[:, t])
        token = tgt[:, t] if forced else logits.argmax(1).detach()
    loss.backward()
    enc_opt.step()
    dec_opt.step()
    return loss.item() / L


losses = []
for it in range(220):
    src = torch.randint(1, V, (32, L))
    losses.append(train_step(src, src.flip(1)))
print(f"loss first {losses[0]:.4f} last {sum(losses[-10:]) / 10:.4f}")
