# fault: mostly-padding
# cause_class: data-loading, structure
# family: sequence
# split: tune
# set: civet, unseen
# sentiment of short app reviews, GRU, word level
import os, random
import torch
import torch.nn as nn
from torch.utils.data import DataLoader

torch.manual_seed(int(os.environ.get("SEED", 0)))
random.seed(int(os.environ.get("SEED", 0)))

MAX_LEN = 90
good = "love great fast nice perfect useful smooth".split()
bad = "crash slow ads broken awful useless laggy".split()
neutral = "the app is on my phone it this and update really with for so version since screen button they".split()
vocab = {w: i + 2 for i, w in enumerate(good + bad + neutral + ["not"])}   # 0 = pad, 1 = unk

def review():
    n = random.randint(6, 18)
    words = random.choices(neutral, k=n)
    y = random.randint(0, 1)
    w = random.choice(good if y else bad)
    p = random.randrange(1, n)
    words[p] = w
    if random.random() < 0.35:
        words[p - 1] = "not"
        y = 1 - y
    return words, y

def encode(words):
    ids = [vocab.get(w, 1) for w in words][:MAX_LEN]
    return ids + [0] * (MAX_LEN - len(ids))

def collate(rows):
    x = torch.tensor([encode(w) for w, _ in rows])
    y = torch.tensor([float(y) for _, y in rows])
    return x, (x != 0).sum(1), y

class ReviewGRU(nn.Module):
    def __init__(self, v, e=24, h=24):
        super().__init__()
        self.emb = nn.Embedding(v, e, padding_idx=0)
        self.rnn = nn.GRU(e, h, batch_first=True)
        self.drop = nn.Dropout(0.1)
        self.fc = nn.Linear(h, 1)
    def forward(self, x, n):
        out, _ = self.rnn(self.emb(x))
        last = out[:, -1]
        return self.fc(self.drop(last)).squeeze(-1)

train_rows = [review() for _ in range(960)]
test_rows = [review() for _ in range(300)]
loader = DataLoader(train_rows, batch_size=48, shuffle=True, collate_fn=collate)
tx, tn, ty = collate(test_rows)
net = ReviewGRU(len(vocab) + 2)
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
lossf = nn.BCEWithLogitsLoss()
for epoch in range(8):
    net.train()
    run = 0
    for x, n, y in loader:
        opt.zero_grad()
        l = lossf(net(x, n), y)
        l.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        run += l.item()
    net.eval()
    with torch.no_grad():
        acc = ((net(tx, tn) > 0).float() == ty).float().mean()
    print(f"epoch {epoch} loss {run / len(loader):.4f} test acc {acc:.3f}")
