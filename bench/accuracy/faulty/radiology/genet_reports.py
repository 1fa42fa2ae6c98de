# fault: mostly-padding
# cause_class: data-loading, structure
# family: radiology
# split: held
"""Triage of short radiology notes: urgent / routine / normal.   Words are ids, 0 is padding."""
import os
import random
import torch
from torch import nn

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)

VOCAB, MAXLEN, CLASSES = 60, 120, 3
URGENT, ROUTINE, NEG = set(range(5, 10)), set(range(10, 15)), 3


def note():
    """a finding counts unless 'no' (id 3) stands right before it"""
    ids, score = [], {"u": 0, "r": 0}
    for _ in range(random.randint(2, 5)):
        ids += [random.randrange(15, VOCAB) for _ in range(random.randint(0, 2))]
        w = random.choice([random.randrange(5, 10), random.randrange(10, 15)])
        negated = random.random() < 0.55
        if negated:
            ids.append(NEG)
        else:
            score["u" if w in URGENT else "r"] += 1
        ids.append(w)
    return ids, 0 if score["u"] else (1 if score["r"] else 2)


def collate(rows):
    out = torch.zeros(len(rows), MAXLEN, dtype=torch.long)
    for i, (ids, _) in enumerate(rows):
        out[i, :len(ids)] = torch.tensor(ids)
    ln = torch.tensor([len(r[0]) for r in rows])
    return out, ln, torch.tensor([r[1] for r in rows])


class NoteGRU(nn.Module):
    def __init__(self, d=24, h=40):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, d, padding_idx=0)
        self.rnn = nn.GRU(d, h, batch_first=True)
        self.out = nn.Linear(h, CLASSES)

    def forward(self, ids, lengths):
        hs, last = self.rnn(self.emb(ids))
        return self.out(last[-1])


data = [note() for _ in range(900)]
val = collate([note() for _ in range(200)])
net = NoteGRU()
opt = torch.optim.Adam(net.parameters(), lr=4e-3)
EPOCHS = 8
for epoch in range(EPOCHS):
    random.shuffle(data)
    tot = 0.0
    for i in range(0, len(data), 30):
        ids, ln, y = collate(data[i:i + 30])
        loss = nn.functional.cross_entropy(net(ids, ln), y)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        tot += loss.item()
    with torch.no_grad():
        acc = (net(val[0], val[1]).argmax(1) == val[2]).float().mean()
    print(f"epoch {epoch:2d} loss {tot / 30:.3f} val acc {acc:.3f}")
