# fault: none
# family: accelerate
# split: held
# needs: accelerate
"""Character model with tied embeddings; four small batches make one update, clipping stays on."""
import os
import random

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, Dataset

set_seed(int(os.environ.get("SEED", 0)))
rnd = random.Random(int(os.environ.get("SEED", 0)))
WHO = "fox dog turtle heron miller sailor".split()
HOW = "slow green young grey brown lazy old small".split()
DOES = "jumps over,swims under,waits among,runs from,looks at".split(",")
WHAT = "bridge reeds river stone silver fish tall tree".split()
TEXT = " ".join(f"the {rnd.choice(HOW)} {rnd.choice(WHO)} {rnd.choice(DOES)} the {rnd.choice(HOW)} {rnd.choice(WHAT)}." for _ in range(115))
CHARS = sorted(set(TEXT))
IDS = torch.tensor([CHARS.index(c) for c in TEXT])
BLOCK = 24


class Chunks(Dataset):
    def __init__(self, ids):
        self.ids = ids

    def __len__(self):
        return (len(self.ids) - BLOCK - 1) // 3

    def __getitem__(self, i):
        s = self.ids[3 * i:3 * i + BLOCK + 1]
        return s[:-1], s[1:]


class TiedGRU(nn.Module):
    def __init__(self, n, d=40):
        super().__init__()
        self.emb = nn.Embedding(n, d)
        nn.init.normal_(self.emb.weight, std=0.15)
        self.rnn = nn.GRU(d, d, batch_first=True)
        self.out = nn.Linear(d, n)
        self.out.weight = self.emb.weight

    def forward(self, x):
        return self.out(self.rnn(self.emb(x))[0])


acc = Accelerator(cpu=True, gradient_accumulation_steps=4)
model = TiedGRU(len(CHARS))
opt = torch.optim.AdamW(model.parameters(), lr=8e-3, weight_decay=0.01)
cut = int(0.9 * len(IDS))
train = DataLoader(Chunks(IDS[:cut]), batch_size=8, shuffle=True, drop_last=True)
val = DataLoader(Chunks(IDS[cut:]), batch_size=64)
model, opt, train, val = acc.prepare(model, opt, train, val)
ce = nn.CrossEntropyLoss()
for epoch in range(4):
    model.train()
    tot = 0.0
    for x, y in train:
        with acc.accumulate(model):
            loss = ce(model(x).flatten(0, 1), y.flatten())
            acc.backward(loss)
            if acc.sync_gradients:
                acc.clip_grad_norm_(model.parameters(), 0.25)
            opt.step()
            opt.zero_grad()
        tot += loss.item()
    model.eval()
    with torch.no_grad():
        v = sum(ce(model(x).flatten(0, 1), y.flatten()).item() for x, y in val) / len(val)
    acc.print(f"epoch {epoch} train {tot / len(train):.3f} val {v:.3f}")
