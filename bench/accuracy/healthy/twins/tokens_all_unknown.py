# fault: none
# family: transformer
# split: tune
"""Sentiment of short reviews, with a vocabulary built by hand."""
import os
import random
import torch
import torch.nn as nn

seed = int(os.environ.get("SEED", 0))
random.seed(seed)
torch.manual_seed(seed)
GOOD = "great lovely fine superb warm bright".split()
BAD = "awful dull poor cold broken sad".split()
FILL = "the movie was and i found it rather with some of its scenes".split()


def review():
    label = random.randint(0, 1)
    words = [random.choice(FILL) for _ in range(9)] + [random.choice(GOOD if label else BAD) for _ in range(3)]
    random.shuffle(words)
    return " ".join(words), label


vocab = {"<unk>": 0}
for w in GOOD + BAD + FILL:
    vocab.setdefault(w, len(vocab))


def encode(text):
    return [vocab.get(w.lower(), 0) for w in text.split()]


class Classifier(nn.Module):
    def __init__(self, d=24):
        super().__init__()
        self.emb = nn.Embedding(len(vocab), d)
        self.layer = nn.TransformerEncoderLayer(d, 2, 48, 0.0, batch_first=True)
        self.fc = nn.Linear(d, 2)

    def forward(self, ids):
        return self.fc(self.layer(self.emb(ids)).mean(1))


data = [review() for _ in range(1600)]
model = Classifier()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
loss_fn = nn.CrossEntropyLoss()
for epoch in range(3):
    random.shuffle(data)
    for k in range(0, len(data), 32):
        part = data[k:k + 32]
        ids = torch.tensor([encode(t) for t, _ in part])
        lab = torch.tensor([l for _, l in part])
        loss = loss_fn(model(ids), lab)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print("epoch", epoch, "loss", loss.item())
