# fault: axes-mixed-up
# cause_class: output-activation, structure, loss
# family: audio
# split: tune
# set: swan, unseen
# toy "spoken digits": every symbol is a short burst of a pattern in a 16-band filterbank
import os
import random

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)

BANDS, SYMBOLS = 16, 6
TEMPLATES = torch.randn(SYMBOLS, BANDS)


class Utterances(Dataset):
    def __init__(self, n):
        self.items = [self.make() for _ in range(n)]

    @staticmethod
    def make():
        k = random.randint(2, 5)
        syms = [random.randrange(SYMBOLS) for _ in range(k)]
        frames = []
        for s in syms:
            frames += [TEMPLATES[s]] * random.randint(3, 5)
            frames += [torch.zeros(BANDS)] * random.randint(1, 2)
        x = torch.stack(frames) + 0.3 * torch.randn(len(frames), BANDS)
        return x, torch.tensor(syms) + 1  # 0 is blank

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate(batch):
    xs, ys = zip(*batch)
    return (nn.utils.rnn.pad_sequence(xs, batch_first=True), torch.cat(ys),
            torch.tensor([len(x) for x in xs]), torch.tensor([len(y) for y in ys]))


class Recognizer(nn.Module):
    def __init__(self, hidden=48):
        super().__init__()
        self.front = nn.Conv1d(BANDS, hidden, 3, padding=1)
        self.rnn = nn.GRU(hidden, hidden, batch_first=True, bidirectional=True)
        self.proj = nn.Linear(2 * hidden, SYMBOLS + 1)

    def forward(self, x):
        h = F.relu(self.front(x.transpose(1, 2))).transpose(1, 2)
        h, _ = self.rnn(h)
        return self.proj(h)


class CTC(nn.Module):
    """nn.CTCLoss wants time first."""

    def __init__(self):
        super().__init__()
        self.loss = nn.CTCLoss(blank=0, zero_infinity=True)

    def forward(self, out, targets, in_len, tgt_len):
        log_probs = F.log_softmax(out.transpose(0, 1), dim=1)
        return self.loss(log_probs, targets, in_len, tgt_len)


def greedy(out, length):
    path = out[:length].argmax(-1).tolist()
    return [p for i, p in enumerate(path) if p != 0 and (i == 0 or path[i - 1] != p)]


@torch.no_grad()
def exact_match(model, loader):
    model.eval()
    ok = n = 0
    for x, y, xl, yl in loader:
        out = model(x)
        for o, l, t in zip(out, xl, y.split(yl.tolist())):
            ok += greedy(o, l) == t.tolist()
            n += 1
    model.train()
    return ok / n


train = DataLoader(Utterances(512), batch_size=32, shuffle=True, collate_fn=collate)
test = DataLoader(Utterances(128), batch_size=64, collate_fn=collate)
model, criterion = Recognizer(), CTC()
optim = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(8):
    total = 0.0
    for x, y, xl, yl in train:
        loss = criterion(model(x), y, xl, yl)
        optim.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optim.step()
        total += loss.item()
    print(f"epoch {epoch} ctc {total / len(train):.3f} exact {exact_match(model, test):.3f}")
