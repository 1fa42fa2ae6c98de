# fault: mostly-padding
# cause_class: data-loading, structure, activation
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
STEMS = {0: ["iva", "petr", "dmit", "olg"], 1: ["kenj", "yuk", "hiro", "sak"], 2: ["gio", "luc", "mar", "fran"],
         3: ["bjo", "lar", "ing", "sve"]}
ENDS = "abcdefghijklmnopqrstuvwxyz"
MAX_LEN = 96


class Names(Dataset):
    def __init__(self, n):
        self.items = []
        for _ in range(n):
            y = random.randrange(4)
            s = random.choice(STEMS[y]) + "".join(random.choice(ENDS) for _ in range(random.randrange(1, 4)))
            self.items.append((s, y))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        s, y = self.items[i]
        ids = torch.zeros(MAX_LEN, dtype=torch.long)
        ids[:len(s)] = torch.tensor([ord(c) - 96 for c in s])
        return ids, y


class NameNet(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.emb = nn.Embedding(27, 16, padding_idx=0)
        self.rnn = nn.RNN(16, hidden, batch_first=True)
        self.fc = nn.Linear(hidden, 4)

    def forward(self, ids):
        out, last = self.rnn(self.emb(ids))
        return self.fc(last.squeeze(0))


train, test = Names(800), Names(200)
net = NameNet()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
ce = nn.CrossEntropyLoss()
for ep in range(8):
    tot = 0.0
    dl = DataLoader(train, 32, shuffle=True)
    for ids, y in dl:
        loss = ce(net(ids), y)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 2.0)
        opt.step()
        tot += loss.item() / len(dl)
    with torch.no_grad():
        ok = sum((net(i).argmax(1) == y).sum().item() for i, y in DataLoader(test, 100))
    print(f"epoch {ep} loss {tot:.4f} acc {ok / 200:.3f}")
