# fault: none
# family: nlp
# split: tune
"""Language identification from hashed character trigrams: very sparse inputs, EmbeddingBag, Adagrad."""
import os
import random
import zlib
import torch
from torch import nn

seed = int(os.environ.get("SEED", 0))
random.seed(seed)
torch.manual_seed(seed)
BUCKETS = 1500
VOWELS, CONS = "aeiou", "bcdfghklmnprstvz"


class Language:
    def __init__(self, rnd):
        self.syllables = [rnd.choice(CONS) + rnd.choice(VOWELS) + rnd.choice(["", rnd.choice(CONS)]) for _ in range(18)]

    def sentence(self):
        return " ".join("".join(random.choices(self.syllables, k=random.randint(1, 3))) for _ in range(3))


def trigrams(text):
    t = f" {text} "
    return torch.tensor([zlib.crc32(t[i:i + 3].encode()) % BUCKETS for i in range(len(t) - 2)])


langs = [Language(random) for _ in range(6)]


def make(n):
    ys = [random.randrange(6) for _ in range(n)]
    return [(trigrams(langs[y].sentence()), y) for y in ys]


def batches(rows, size, shuffle):
    order = random.sample(range(len(rows)), len(rows)) if shuffle else range(len(rows))
    order = list(order)
    for i in range(0, len(rows), size):
        part = [rows[k] for k in order[i:i + size]]
        lengths = torch.tensor([0] + [len(t) for t, _ in part[:-1]])
        yield torch.cat([t for t, _ in part]), lengths.cumsum(0), torch.tensor([y for _, y in part])


class NGram(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(BUCKETS, 16, mode="mean")
        self.fc = nn.Linear(16, 6)

    def forward(self, ids, offsets):
        return self.fc(self.bag(ids, offsets))


train, test = make(1200), make(300)
model = NGram()
opt = torch.optim.Adagrad(model.parameters(), lr=0.1)
for epoch in range(6):
    model.train()
    s = n = 0
    for ids, off, y in batches(train, 30, True):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(ids, off), y)
        loss.backward()
        opt.step()
        s, n = s + loss.item(), n + 1
    model.eval()
    with torch.no_grad():
        right = sum((model(ids, off).argmax(1) == y).sum().item() for ids, off, y in batches(test, 100, False))
    print(f"epoch {epoch} loss {s / n:.4f} accuracy {right / 300:.3f}")
