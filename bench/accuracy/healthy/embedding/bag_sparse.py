# fault: none
# family: embedding
# split: held
"""Language of a word from hashed letter pairs, sparse gradients."""
import os
import random
import torch
import torch.nn as nn

seed = int(os.environ.get("SEED", 0))
random.seed(seed)
torch.manual_seed(seed)
BUCKETS, LANGS = 500, 4
syll = [[random.choice("bcdfgklmnprstvz") + random.choice("aeiou") for _ in range(14)] for _ in range(LANGS)]


def word():
    k = random.randrange(LANGS)
    return "".join(random.choice(syll[k]) for _ in range(random.randrange(2, 6))), k


def pack(items):
    ids, offsets = [], []
    for w, _ in items:
        offsets.append(len(ids))
        ids += [(ord(a) * 31 + ord(b)) % BUCKETS for a, b in zip(w, w[1:])]
    return torch.tensor(ids), torch.tensor(offsets), torch.tensor([k for _, k in items])


bag = nn.EmbeddingBag(BUCKETS, 16, mode="mean", sparse=True)
fc = nn.Linear(16, LANGS)
opts = [torch.optim.SparseAdam(bag.parameters(), lr=0.01), torch.optim.Adam(fc.parameters(), lr=0.01)]
ce = nn.CrossEntropyLoss()
train, valid = [word() for _ in range(4000)], pack([word() for _ in range(800)])
for epoch in range(4):
    random.shuffle(train)
    total = 0.0
    for i in range(0, 4000, 40):
        ids, off, y = pack(train[i:i + 40])
        loss = ce(fc(bag(ids, off)), y)
        for o in opts:
            o.zero_grad()
        loss.backward()
        for o in opts:
            o.step()
        total += loss.item() / 100
    with torch.no_grad():
        out = fc(bag(valid[0], valid[1]))
    print(f"epoch {epoch} train {total:.4f} val {ce(out, valid[2]).item():.4f} acc {(out.argmax(1) == valid[2]).float().mean().item():.3f}")
