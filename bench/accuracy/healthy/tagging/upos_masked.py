# fault: none
# family: tagging
# split: held
import os
import random
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence, pack_padded_sequence, pad_packed_sequence

seed = int(os.environ.get("SEED", 0))
random.seed(seed)
torch.manual_seed(seed)
# grammar: S -> DET (ADJ) NOUN VERB (ADV | DET (ADJ) NOUN); some words are noun and verb
LEX = {0: range(1, 4), 1: range(4, 20), 2: list(range(20, 40)) + list(range(60, 70)), 3: list(range(40, 60)) + list(range(60, 70)), 4: range(70, 80)}
LEX = {k: list(v) for k, v in LEX.items()}


def phrase():
    return [0] + ([1] if random.random() < 0.5 else []) + [2]


def sent():
    tags = phrase() + [3] + (phrase() if random.random() < 0.6 else [4])
    return torch.tensor([random.choice(LEX[t]) for t in tags]), torch.tensor(tags)


def collate(items):
    x = pad_sequence([w for w, _ in items], batch_first=True)
    y = pad_sequence([t for _, t in items], batch_first=True, padding_value=-100)
    return x, y, torch.tensor([len(w) for w, _ in items])


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(80, 16, padding_idx=0)
        self.r = nn.GRU(16, 24, batch_first=True, bidirectional=True)
        self.o = nn.Linear(48, 5)

    def forward(self, x, n):
        h, _ = self.r(pack_padded_sequence(self.e(x), n, batch_first=True, enforce_sorted=False))
        return self.o(pad_packed_sequence(h, batch_first=True)[0])


model = Tagger()
opt = torch.optim.Adam(model.parameters(), lr=4e-3)
ce = nn.CrossEntropyLoss(ignore_index=-100)
train, (xv, yv, nv) = [sent() for _ in range(1600)], collate([sent() for _ in range(300)])
for epoch in range(4):
    random.shuffle(train)
    tot = 0.0
    for k in range(0, 1600, 32):
        x, y, n = collate(train[k:k + 32])
        loss = ce(model(x, n).flatten(0, 1), y.flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() / 50
    with torch.no_grad():
        o = model(xv, nv)
        acc = (o.argmax(-1) == yv)[yv >= 0].float().mean().item()
        print(f"epoch {epoch} train {tot:.4f} val {ce(o.flatten(0, 1), yv.flatten()).item():.4f} acc {acc:.4f}")
