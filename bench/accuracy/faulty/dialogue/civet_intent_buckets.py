# fault: labels-shuffled
# cause_class: labels, data-loading
# family: dialogue
# split: held
# Intent classification for a home assistant; attention pooling over embeddings.
# Utterances are bucketed by length so that batches need little padding.
import os
import random
import torch
from torch import nn

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)

INTENTS = {
    "lights": (["lights", "lamp", "bulb", "dim", "brighten"], ["on", "off", "up", "kitchen", "bedroom"]),
    "music": (["play", "song", "album", "volume", "skip"], ["up", "next", "kitchen", "louder"]),
    "heating": (["heating", "degrees", "warmer", "thermostat", "cold"], ["up", "on", "off", "bedroom"]),
    "timer": (["timer", "minutes", "alarm", "remind", "countdown"], ["set", "off", "next", "stop"]),
    "weather": (["weather", "rain", "umbrella", "forecast", "sunny"], ["tomorrow", "next", "on", "monday"]),
}
FILL = "hey could you please the a to in my for i want would like can now just".split()


def make_utterance(intent):
    keys, side = INTENTS[intent]
    words = random.sample(keys, random.randint(1, 2)) + random.sample(side, random.randint(0, 2))
    words += random.choices(FILL, k=random.randint(1, 9))
    random.shuffle(words)
    return words


names = list(INTENTS)
texts, labels = [], []
for _ in range(2000):
    k = random.randrange(len(names))
    texts.append(make_utterance(names[k]))
    labels.append(k)

vocab = {"<pad>": 0}
for t in texts:
    for w in t:
        vocab.setdefault(w, len(vocab))


def bucket(texts, labels, size=40):
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    texts = [texts[i] for i in order]
    batches = []
    for i in range(0, len(texts), size):
        chunk = texts[i:i + size]
        width = max(map(len, chunk))
        ids = torch.tensor([[vocab[w] for w in t] + [0] * (width - len(t)) for t in chunk])
        batches.append((ids, torch.tensor(labels[i:i + size])))
    return batches


class AttPool(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.emb = nn.Embedding(len(vocab), dim, padding_idx=0)
        self.score = nn.Linear(dim, 1)
        self.clf = nn.Sequential(nn.Linear(dim, 48), nn.Tanh(), nn.Linear(48, len(names)))

    def forward(self, ids):
        e = self.emb(ids)
        s = self.score(e).squeeze(-1).masked_fill(ids == 0, -1e9).softmax(1)
        return self.clf((s.unsqueeze(-1) * e).sum(1))


train, dev = bucket(texts[:1700], labels[:1700]), bucket(texts[1700:], labels[1700:])
net = AttPool()
opt = torch.optim.Adam(net.parameters(), lr=4e-3)
for epoch in range(8):
    random.shuffle(train)
    total = 0
    for ids, y in train:
        loss = nn.functional.cross_entropy(net(ids), y, label_smoothing=0.05)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    with torch.no_grad():
        hits = sum((net(ids).argmax(1) == y).sum().item() for ids, y in dev)
    print(f"epoch {epoch}: loss {total / len(train):.3f} dev acc {hits / 300:.3f}")
