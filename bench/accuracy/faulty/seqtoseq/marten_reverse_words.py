# fault: detached-mid-network
# cause_class: not-updated, structure
# family: seqtoseq
# split: held
import os
import random

import torch
from torch import nn

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)
LETTERS, LEN, BOS = 12, 6, 12


class Encoder(nn.Module):
    def __init__(self, emb, hid):
        super().__init__()
        self.emb = nn.Embedding(LETTERS, emb)
        self.gru = nn.GRU(emb, hid, batch_first=True)

    def forward(self, src):
        _, h = self.gru(self.emb(src))
        return h


class Decoder(nn.Module):
    def __init__(self, emb, hid):
        super().__init__()
        self.emb = nn.Embedding(LETTERS + 1, emb)
        self.gru = nn.GRU(emb, hid, batch_first=True)
        self.out = nn.Linear(hid, LETTERS)

    def forward(self, tokens, h):
        y, h = self.gru(self.emb(tokens), h)
        return self.out(y), h


class Translator(nn.Module):
    def __init__(self, emb=12, hid=48):
        super().__init__()
        self.encoder, self.decoder = Encoder(emb, hid), Decoder(emb, hid)

    def start(self, src):
        # a fresh state for every batch
        return self.encoder(src).detach()

    def forward(self, src, tgt):
        bos = torch.full_like(tgt[:, :1], BOS)
        logits, _ = self.decoder(torch.cat([bos, tgt[:, :-1]], 1), self.start(src))
        return logits

    @torch.no_grad()
    def translate(self, src):
        h, tok, out = self.start(src), torch.full_like(src[:, :1], BOS), []
        for _ in range(LEN):
            logits, h = self.decoder(tok, h)
            tok = logits.argmax(-1)
            out.append(tok)
        return torch.cat(out, 1)


def words(n):
    src = torch.randint(0, LETTERS, (n, LEN))
    return src, (src.flip(1) + 3) % LETTERS


model = Translator()
opt = torch.optim.Adam(model.parameters(), lr=4e-3)
ce = nn.CrossEntropyLoss()
test_src, test_tgt = words(400)
for step in range(1, 701):
    src, tgt = words(32)
    loss = ce(model(src, tgt).flatten(0, 1), tgt.flatten())
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    if step % 100 == 0 or step == 1:
        right = model.translate(test_src) == test_tgt
        print(f"{step:4d} loss {loss.item():.4f} letters {right.float().mean():.3f} words {right.all(1).float().mean():.3f}")
