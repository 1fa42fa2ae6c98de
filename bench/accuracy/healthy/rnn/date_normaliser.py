# fault: none
# family: rnn
# split: held
"""Strings of very different length, padded to 40 and packed; which month does the text speak of?"""
import os
import random

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence
from torch.utils.data import DataLoader, Dataset

SEED = int(os.environ.get("SEED", "0"))
random.seed(SEED)
torch.manual_seed(SEED)
MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug"]
ALPHABET = " abcdefghijklmnopqrstuvwxyz0123456789."
MAX_LEN = 40


class Dates(Dataset):
    def __init__(self, n):
        self.rows = []
        for _ in range(n):
            m = random.randrange(len(MONTHS))
            text = random.choice(["{d}. {m} {y}", "{m} {d}", "due on {m} {d} {y}", "{d} {m}"]).format(
                d=random.randint(1, 28), m=MONTHS[m], y=random.randint(1990, 2030))
            ids = [ALPHABET.index(c) + 1 for c in text]
            self.rows.append((torch.tensor(ids + [0] * (MAX_LEN - len(ids))), len(ids), m))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


class Reader(nn.Module):
    def __init__(self, d=16, h=32):
        super().__init__()
        self.emb = nn.Embedding(len(ALPHABET) + 1, d, padding_idx=0)
        self.lstm = nn.LSTM(d, h, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * h, len(MONTHS))

    def forward(self, ids, lengths):
        packed = pack_padded_sequence(self.emb(ids), lengths, batch_first=True, enforce_sorted=False)
        _, (h, _) = self.lstm(packed)
        return self.out(torch.cat([h[0], h[1]], -1))


model = Reader()
optimizer = torch.optim.Adam(model.parameters(), lr=6e-3)
criterion = nn.CrossEntropyLoss(reduction="sum")
train, valid = DataLoader(Dates(2000), 50, shuffle=True), DataLoader(Dates(300), 300)
for epoch in range(4):
    model.train()
    total = 0.0
    for ids, lengths, month in train:
        loss = criterion(model(ids, lengths), month)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 2.0)
        optimizer.step()
        total += loss.item()
    model.eval()
    with torch.no_grad():
        acc = sum((model(i, l).argmax(1) == m).float().mean().item() for i, l, m in valid) / len(valid)
    print(f"epoch {epoch} loss per string {total / 2000:.4f} acc {acc:.3f}")
