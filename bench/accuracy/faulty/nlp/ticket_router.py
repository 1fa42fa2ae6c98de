# fault: inputs-constant
# cause_class: data-scaling, data-loading
# family: nlp
# split: tune
"""Route support tickets to a team with a bag-of-embeddings classifier."""
import os
import random
import re
import torch
from torch import nn
from torch.utils.data import DataLoader

seed = int(os.environ.get("SEED", 0))
random.seed(seed)
torch.manual_seed(seed)

TEAMS = {
    "billing": "Invoice Refund Payment Charge Card Receipt".split(),
    "network": "Router Wifi Signal Latency Cable Outage".split(),
    "account": "Password Login Email Username Profile Locked".split(),
}
COMMON = "My The Please Help With Problem Since Monday Again Thanks".split()
NAMES = list(TEAMS)


def ticket():
    team = random.choice(NAMES)
    words = random.choices(TEAMS[team], k=3) + random.choices(COMMON, k=5)
    random.shuffle(words)
    return " ".join(words), NAMES.index(team)


def tokenize(text):
    return re.findall(r"[A-Za-z]+", text)


class Vocabulary:
    def __init__(self, texts):
        words = sorted({w.lower() for t in texts for w in tokenize(t)})
        self.index = {"<unk>": 0}
        for w in words:
            self.index[w] = len(self.index)

    def encode(self, text):
        return [self.index.get(w, 0) for w in tokenize(text)]

    def __len__(self):
        return len(self.index)


class Router(nn.Module):
    def __init__(self, n_words, n_teams, dim=24):
        super().__init__()
        self.bag = nn.EmbeddingBag(n_words, dim, mode="mean")
        self.mlp = nn.Sequential(nn.Linear(dim, 32), nn.ReLU(), nn.Linear(32, n_teams))

    def forward(self, ids):
        return self.mlp(self.bag(ids))


tickets = [ticket() for _ in range(1000)]
vocab = Vocabulary([t for t, _ in tickets])


def collate(rows):
    return torch.tensor([vocab.encode(t) for t, _ in rows]), torch.tensor([y for _, y in rows])


train = DataLoader(tickets[:800], batch_size=32, shuffle=True, collate_fn=collate)
test = DataLoader(tickets[800:], batch_size=200, collate_fn=collate)
model = Router(len(vocab), len(TEAMS))
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(8):
    model.train()
    losses = []
    for ids, y in train:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(ids), y)
        loss.backward()
        opt.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        acc = [(model(ids).argmax(1) == y).float().mean().item() for ids, y in test][0]
    print(f"epoch {epoch}: loss {sum(losses) / len(losses):.4f} accuracy {acc:.3f}")
