# fault: inputs-not-scaled
# cause_class: data-scaling, data-loading, activation, initialisation, structure
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


class EventLog(Dataset):
    """Events of a machine as (seconds since epoch, watts, rpm); label: was there a stop and restart?"""

    def __init__(self, n, length=20):
        self.rows = []
        for _ in range(n):
            t, rows = 1.7e9 + random.uniform(0, 3e6), []
            bad = random.random() < 0.5
            at = random.randrange(4, length - 4)
            for i in range(length):
                t += random.uniform(40, 80)
                rpm = random.gauss(1480, 25)
                if bad and at <= i < at + 3:
                    rpm = random.gauss(1350, 25)
                rows.append((t, random.gauss(5200, 300), rpm))
            self.rows.append((rows, float(bad)))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        r, y = self.rows[i]
        return torch.tensor(r, dtype=torch.float32), torch.tensor(y)


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 24, batch_first=True)
        self.fc = nn.Linear(24, 1)

    def forward(self, x):
        h, _ = self.lstm(x)
        return self.fc(h.amax(1)).squeeze(-1)


def evaluate(m, dl):
    m.eval()
    hit = n = 0
    with torch.no_grad():
        for x, y in dl:
            hit += ((m(x) > 0).float() == y).sum().item()
            n += len(y)
    m.train()
    return hit / n


train, test = EventLog(1000), EventLog(300)
model = Detector()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
lossf = nn.BCEWithLogitsLoss()
for epoch in range(8):
    s = 0
    dl = DataLoader(train, 25, shuffle=True)
    for x, y in dl:
        opt.zero_grad()
        loss = lossf(model(x), y)
        loss.backward()
        opt.step()
        s += loss.item()
    print(f"epoch {epoch}: loss {s / len(dl):.4f} test acc {evaluate(model, DataLoader(test, 100)):.3f}")
