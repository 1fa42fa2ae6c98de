# fault: none
# family: tagging
# split: held
"""Tag each token of a made-up sentence: other, place, person, date, number, verb, particle, sign."""
import os
import random

import torch
import torch.nn as nn

seed = int(os.environ.get("SEED", 0))
random.seed(seed)
torch.manual_seed(seed)

TAGS = 8
WORDS = 80
word_tag = [random.randrange(TAGS) for _ in range(WORDS)]
AMBIGUOUS = set(range(0, 20))       # their tag depends on the word before


def sentence(length=12):
    words, tags = [], []
    for k in range(length):
        w = random.randrange(WORDS)
        if w in AMBIGUOUS and words:
            t = word_tag[words[-1]]
        else:
            t = word_tag[w]
        words.append(w)
        tags.append(t)
    return words, tags


def corpus(n):
    pairs = [sentence() for _ in range(n)]
    return torch.tensor([p[0] for p in pairs]), torch.tensor([p[1] for p in pairs])


class Tagger(nn.Module):
    def __init__(self, dim=24, hidden=32):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, dim)
        self.lstm = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(2 * hidden, TAGS)

    def forward(self, words):
        hidden, _ = self.lstm(self.embedding(words))
        return self.fc(hidden)


x_train, y_train = corpus(1600)
x_test, y_test = corpus(300)
model = Tagger()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
criterion = nn.CrossEntropyLoss()

for epoch in range(8):
    model.train()
    losses = []
    perm = torch.randperm(len(x_train))
    for start in range(0, len(perm), 32):
        idx = perm[start:start + 32]
        optimizer.zero_grad()
        out = model(x_train[idx])
        loss = criterion(out.reshape(-1, TAGS), y_train[idx].reshape(-1))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        out = model(x_test)
        val = criterion(out.reshape(-1, TAGS), y_test.reshape(-1)).item()
        acc = (out.argmax(-1) == y_test).float().mean().item()
    print("Epoch {}/{} loss={:.4f} val_loss={:.4f} val_acc={:.3f}".format(epoch + 1, 8, sum(losses) / len(losses), val, acc))
