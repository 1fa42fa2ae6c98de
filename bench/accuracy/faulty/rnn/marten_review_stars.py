# fault: mostly-padding
# cause_class: data-loading, structure
# family: rnn
# split: held
import os
import random

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)

GOOD = "great good lovely tasty fresh friendly perfect warm".split()
BAD = "bad cold slow rude stale dirty awful bland".split()
REST = "the a food was and service place we had it table very soup came with for".split()
VOCAB = {w: i + 1 for i, w in enumerate(GOOD + BAD + REST)}
MAX_LEN = 120


def write_review():
    stars = random.choice([0, 1])
    words = random.choices(REST, k=random.randint(4, 8))
    for _ in range(random.randint(1, 3)):
        words.insert(random.randrange(len(words)), random.choice((BAD, GOOD)[stars]))
    return " ".join(words), stars


class Reviews(Dataset):
    def __init__(self, n):
        self.rows = [write_review() for _ in range(n)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        text, stars = self.rows[i]
        ids = torch.tensor([VOCAB[w] for w in text.split()])
        return nn.functional.pad(ids, (0, MAX_LEN - len(ids))), stars


class ReviewRNN(nn.Module):
    def __init__(self, dim=16, hidden=24):
        super().__init__()
        self.emb = nn.Embedding(len(VOCAB) + 1, dim, padding_idx=0)
        self.rnn = nn.RNN(dim, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 2)

    def forward(self, ids):
        states, last = self.rnn(self.emb(ids))
        return self.out(last[-1])


train = DataLoader(Reviews(1280), batch_size=32, shuffle=True)
test = DataLoader(Reviews(256), batch_size=128)
model = ReviewRNN()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
criterion = nn.CrossEntropyLoss()
for epoch in range(5):
    model.train()
    total = 0.0
    for ids, stars in train:
        optimizer.zero_grad()
        loss = criterion(model(ids), stars)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += loss.item()
    model.eval()
    with torch.no_grad():
        acc = torch.cat([model(i).argmax(1) == s for i, s in test]).float().mean()
    print(f"epoch {epoch} loss {total / len(train):.4f} acc {acc:.3f}")
