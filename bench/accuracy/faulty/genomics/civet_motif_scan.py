# fault: axes-mixed-up
# cause_class: structure, data-loading
# family: genomics
# split: tune
"""Promoter vs. background: small CNN that scans 64 bp windows for a -10/-35 box pair."""
import os
import random
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED); np.random.seed(SEED); torch.manual_seed(SEED)

ALPHABET = "ACGT"
BOX35, BOX10 = "TTGACA", "TATAAT"
WINDOW = 64


def mutate(box, p=0.08):
    return "".join(random.choice(ALPHABET) if random.random() < p else c for c in box)


def make_record():
    s = [random.choice(ALPHABET) for _ in range(WINDOW)]
    label = random.random() < 0.5
    if label:
        start = random.randint(2, WINDOW - 34)
        gap = random.randint(15, 19)
        s[start:start + 6] = mutate(BOX35)
        s[start + 6 + gap:start + 12 + gap] = mutate(BOX10)
    return "".join(s), int(label)


class Promoters(Dataset):
    def __init__(self, n):
        self.records = [make_record() for _ in range(n)]

    def __len__(self):
        return len(self.records)

    def __getitem__(self, i):
        seq, y = self.records[i]
        idx = torch.tensor([ALPHABET.index(c) for c in seq])
        onehot = nn.functional.one_hot(idx, 4).float()      # (length, 4)
        return onehot, torch.tensor(float(y))


class Scanner(nn.Module):
    def __init__(self, filters=28):
        super().__init__()
        self.conv1 = nn.Conv1d(4, filters, 8, padding=4)
        self.bn1 = nn.BatchNorm1d(filters)
        self.conv2 = nn.Conv1d(filters, filters, 11, padding=5, dilation=2)
        self.bn2 = nn.BatchNorm1d(filters)
        self.fc = nn.Sequential(nn.Linear(filters, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 1))

    def forward(self, x):
        # Conv1d wants channels first
        x = x.view(x.size(0), 4, -1)
        h = torch.relu(self.bn1(self.conv1(x)))
        h = torch.relu(self.bn2(self.conv2(h)))
        return self.fc(h.amax(dim=2)).squeeze(1)


def evaluate(net, loader):
    net.eval()
    hit = tot = 0
    loss = 0.0
    with torch.no_grad():
        for x, y in loader:
            out = net(x)
            loss += nn.functional.binary_cross_entropy_with_logits(out, y, reduction="sum").item()
            hit += ((out > 0).float() == y).sum().item()
            tot += len(y)
    return loss / tot, hit / tot


def main():
    train = DataLoader(Promoters(1100), batch_size=50, shuffle=True, drop_last=True)
    valid = DataLoader(Promoters(300), batch_size=300)
    net = Scanner()
    opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-3)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, 4e-3, total_steps=6 * len(train))
    crit = nn.BCEWithLogitsLoss()
    for epoch in range(6):
        net.train()
        running = 0.0
        for x, y in train:
            opt.zero_grad()
            loss = crit(net(x), y)
            loss.backward()
            opt.step()
            sched.step()
            running += loss.item()
        vl, va = evaluate(net, valid)
        print(f"epoch {epoch}  train {running / len(train):.4f}  valid {vl:.4f}  acc {va:.3f}")


if __name__ == "__main__":
    main()
