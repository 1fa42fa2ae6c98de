# fault: not-finite
# cause_class: non-finite, data-loading, structure
# family: transformer
# split: held
"""Sentiment of short reviews, own attention layer, variable length."""
import math, os
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(int(os.environ.get("SEED", "0")))
VOCAB, L, PAD = 60, 12, 0


class Reviews(Dataset):
    def __init__(self, n):
        g = torch.Generator().manual_seed(torch.initial_seed() + 1)
        self.rows = []
        for _ in range(n):
            k = int(torch.randint(0, 200, (1,), generator=g)) % (L + 1) if torch.rand(1, generator=g) < .1 else L - 3
            toks = torch.randint(1, VOCAB, (k,), generator=g)
            label = int((toks < 25).sum() > (toks >= 35).sum())
            self.rows.append((F.pad(toks, (0, L - k), value=PAD), label))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


class Attention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x, pad):
        s = self.q(x) @ self.k(x).transpose(1, 2) / math.sqrt(x.size(-1))
        s = s.masked_fill(pad[:, None, :], float("-inf"))
        return s.softmax(-1) @ self.v(x)


class Classifier(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, d, padding_idx=PAD)
        self.att, self.norm = Attention(d), nn.LayerNorm(d)
        self.out = nn.Sequential(nn.Linear(d, d), nn.GELU(), nn.Linear(d, 2))

    def forward(self, t):
        pad = t.eq(PAD)
        e = self.emb(t)
        h = self.norm(e + self.att(e, pad))
        h = h.masked_fill(pad[..., None], 0.)
        return self.out(h.sum(1) / (~pad).sum(1, keepdim=True).clamp(min=1))


net = Classifier()
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
for epoch in range(5):
    tot = 0.
    dl = DataLoader(Reviews(1500), batch_size=16, shuffle=True)
    for t, y in dl:
        loss = F.cross_entropy(net(t), y)
        opt.zero_grad(); loss.backward(); opt.step()
        tot += loss.item()
    print("epoch", epoch, "loss", tot / len(dl))
