# fault: none
# family: seqtoseq
# split: tune
import os
import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)
PAD, BOS, EOS = 0, 1, 2


class Reversals(Dataset):
    def __init__(self, n):
        self.rows = [torch.tensor([random.randint(3, 9) for _ in range(random.randint(2, 5))]) for _ in range(n)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        r = self.rows[i]
        return r, torch.cat([r.flip(0), torch.tensor([EOS])])


def collate(b):
    src, tgt = zip(*b)
    return pad_sequence(src, True, PAD), torch.tensor([len(s) for s in src]), pad_sequence(tgt, True, PAD)


class Seq2Seq(nn.Module):
    def __init__(self, v=10, d=24, h=64):
        super().__init__()
        self.emb = nn.Embedding(v, d, padding_idx=PAD)
        self.enc = nn.GRU(d, h, batch_first=True)
        self.dec = nn.GRUCell(d, h)
        self.out = nn.Linear(h, v)

    def forward(self, src, lengths, tgt=None, p_teacher=1.0, steps=6):
        _, h = self.enc(pack_padded_sequence(self.emb(src), lengths, batch_first=True, enforce_sorted=False))
        h, tok, outs = h[0], torch.full((len(src),), BOS), []
        for t in range(tgt.shape[1] if tgt is not None else steps):
            h = self.dec(self.emb(tok), h)
            o = self.out(h)
            outs.append(o)
            tok = tgt[:, t] if tgt is not None and random.random() < p_teacher else o.argmax(1)
        return torch.stack(outs, 1)


net = Seq2Seq()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
train = DataLoader(Reversals(2000), 64, shuffle=True, collate_fn=collate)
test = DataLoader(Reversals(200), 200, collate_fn=collate)
for epoch in range(12):
    p = max(0.5, 1 - 0.04 * epoch)
    net.train()
    tot = 0.0
    for src, n, tgt in train:
        loss = F.cross_entropy(net(src, n, tgt, p).flatten(0, 1), tgt.flatten(), ignore_index=PAD)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        tot += loss.item()
    net.eval()
    with torch.no_grad():
        src, n, tgt = next(iter(test))
        out = net(src, n, steps=tgt.shape[1]).argmax(-1)
        ok = ((out == tgt) | (tgt == PAD)).all(1).float().mean().item()
    print(f"epoch {epoch} teacher {p:.2f} loss {tot / len(train):.4f} whole sequences {ok:.3f}")
