# fault: mostly-padding
# cause_class: data-loading, structure
# family: rnn
# split: held
import os
import random

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)

GOOD = "great lovely fine superb enjoyed".split()
BAD = "awful boring poor dreadful hated".split()
FILL = "the a film was plot actor scene and music with story it felt quite".split()


class Vocab:
    def __init__(self, words):
        self.stoi = {w: i + 1 for i, w in enumerate(words)}

    def __len__(self):
        return len(self.stoi) + 1

    def encode(self, text, max_len):
        ids = [self.stoi[w] for w in text.split()][:max_len]
        return ids + [0] * (max_len - len(ids))


class Reviews(Dataset):
    MAX_LEN = 150

    def __init__(self, n, vocab):
        self.items = []
        for _ in range(n):
            label = random.random() < 0.5
            words = random.choices(FILL, k=random.randint(4, 9))
            for _ in range(2):
                words.insert(random.randrange(len(words)), random.choice(GOOD if label else BAD))
            self.items.append((torch.tensor(vocab.encode(" ".join(words), self.MAX_LEN)), float(label)))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


class SentimentGRU(nn.Module):
    def __init__(self, n_words, dim=16, hidden=16):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
        self.gru = nn.GRU(dim, hidden, batch_first=True)
        self.fc = nn.Linear(hidden, 1)

    def forward(self, ids):
        _, h = self.gru(self.embedding(ids))
        return self.fc(h[-1]).squeeze(1)


vocab = Vocab(GOOD + BAD + FILL)
train, valid = Reviews(640, vocab), Reviews(128, vocab)
model = SentimentGRU(len(vocab))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
criterion = nn.BCEWithLogitsLoss()
for epoch in range(3):
    model.train()
    total = 0.0
    for ids, y in DataLoader(train, batch_size=16, shuffle=True):
        y = y.float()
        optimizer.zero_grad()
        loss = criterion(model(ids), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += loss.item() * len(y)
    model.eval()
    with torch.no_grad():
        acc = sum(((model(i) > 0).float() == y).sum().item() for i, y in DataLoader(valid, 64)) / len(valid)
    print(f"epoch {epoch} loss {total / len(train):.4f} valid accuracy {acc:.3f}")
