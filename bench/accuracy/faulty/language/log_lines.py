# fault: mostly-padding
# cause_class: data-loading, loss, labels, imbalance
# family: language
# split: held
# set: otter, unseen
import os
import random

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)
PAD, BOS, EOS = 0, 1, 2
CHARS = "abcdefghijklmnopqrstuvwxyz0123456789 :-"
STOI = {c: i + 3 for i, c in enumerate(CHARS)}
MAX_LEN = 160


def line():
    unit = random.choice(["pump", "fan", "valve", "door"])
    state = random.choice(["on", "off", "fail"])
    return f"{unit}:{state}"


class Lines(Dataset):
    def __init__(self, n):
        self.rows = [[BOS] + [STOI[c] for c in line()] + [EOS] for _ in range(n)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        ids = torch.full((MAX_LEN,), PAD)
        row = self.rows[i][:MAX_LEN]
        ids[:len(row)] = torch.tensor(row)
        return ids[:-1], ids[1:]


class CharLM(nn.Module):
    def __init__(self, vocab, d=32, h=48):
        super().__init__()
        self.emb = nn.Embedding(vocab, d, padding_idx=PAD)
        self.rnn = nn.GRU(d, h, batch_first=True)
        self.out = nn.Linear(h, vocab)

    def forward(self, x):
        return self.out(self.rnn(self.emb(x))[0])


@torch.no_grad()
def complete(model, prompt, n=12):
    ids = [BOS] + [STOI[c] for c in prompt]
    for _ in range(n):
        nxt = int(model(torch.tensor([ids]))[0, -1].argmax())
        if nxt in (EOS, PAD):
            break
        ids.append(nxt)
    return "".join(CHARS[i - 3] if i > 2 else "?" for i in ids[1:])


vocab = len(CHARS) + 3
train, val = DataLoader(Lines(1200), 16, shuffle=True), DataLoader(Lines(64), 64)
model = CharLM(vocab)
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
run = []
for epoch in range(2):
    for x, y in train:
        loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        run.append(loss.item())
        if len(run) % 25 == 0:
            model.eval()
            with torch.no_grad():
                vx, vy = next(iter(val))
                lg = model(vx)
                ce = F.cross_entropy(lg.flatten(0, 1), vy.flatten(), ignore_index=PAD).item()
            model.train()
            print(f"{len(run):4d} loss {sum(run[-25:]) / 25:.4f} characters {ce:.3f} | {complete(model, 'pu')!r}")
