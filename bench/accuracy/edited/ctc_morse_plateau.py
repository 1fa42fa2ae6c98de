# fault: none
# family: audio
# split: held
# set: badger, unseen
# metric: char_error_rate lower
# baseline: 0.92
# reaches: 0.2
# Unusual: CTC; after the first drop the loss stands still on the all-blank plateau for some sixty to a hundred updates (error rate near 1.0), then falls.
import os
import random

import torch
from torch import nn

torch.set_num_threads(1)
SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)

MORSE = {"A": ".-", "D": "-..", "E": ".", "I": "..", "K": "-.-", "M": "--", "N": "-.", "O": "---", "R": ".-.", "S": "...", "T": "-", "U": "..-"}
LETTERS = sorted(MORSE)
BLANK = 0


def key(word):
    """One value per 1/2 dot time, hand-keyed: every mark and gap is a little long or short."""
    out = [0.0] * random.randint(1, 4)
    unit = random.choice([1.5, 2, 2])
    jit = lambda n: max(1, round(n * unit * random.gauss(1, 0.1)))
    for c in word:
        for m in MORSE[c]:
            out += [1.0] * jit(1 if m == "." else 3)
            out += [0.0] * jit(1)
        out += [0.0] * jit(2)
    return out


def batch(n):
    words = [[random.choice(LETTERS) for _ in range(random.randint(2, 4))] for _ in range(n)]
    sig = [key(w) for w in words]
    T = max(map(len, sig))
    T += -T % 4
    x = torch.zeros(n, T)
    for i, s in enumerate(sig):
        x[i, : len(s)] = torch.tensor(s)
    x = x * (0.7 + 0.6 * torch.rand(n, 1)) + 0.2 * torch.randn(n, T)
    y = torch.tensor([1 + LETTERS.index(c) for w in words for c in w])
    return x, y, torch.tensor([-(-len(s) // 2) for s in sig]), torch.tensor([len(w) for w in words]), words


class Listener(nn.Module):
    def __init__(self, d=48):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv1d(1, d, 9, padding=4), nn.GELU(), nn.Conv1d(d, d, 5, stride=2, padding=2), nn.GELU())
        self.rnn = nn.GRU(d, d, bidirectional=True, batch_first=True)
        self.out = nn.Linear(2 * d, 1 + len(LETTERS))

    def forward(self, x):
        h, _ = self.rnn(self.conv(x[:, None]).transpose(1, 2))
        return self.out(h).log_softmax(-1)


def distance(a, b):
    row = list(range(len(b) + 1))
    for i, ca in enumerate(a, 1):
        prev, row[0] = row[0], i
        for j, cb in enumerate(b, 1):
            prev, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, prev + (ca != cb))
    return row[-1]


@torch.no_grad()
def char_error_rate(net, data):
    x, _, tl, _, words = data
    best = net(x).argmax(-1)
    wrong = total = 0
    for b, t, w in zip(best, tl, words):
        s = torch.unique_consecutive(b[:t])
        hyp = [LETTERS[k - 1] for k in s.tolist() if k != BLANK]
        wrong += distance(hyp, w)
        total += len(w)
    return wrong / total


held = batch(100)
net = Listener()
ctc = nn.CTCLoss(blank=BLANK, zero_infinity=True)
opt = torch.optim.AdamW(net.parameters(), lr=4e-3, weight_decay=1e-2)
for step in range(1, 341):
    x, y, tl, yl, _ = batch(16)
    loss = ctc(net(x).transpose(0, 1), y, tl, yl)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 2.0)
    opt.step()
    if step % 30 == 0:
        print(f"{step} ctc {loss.item():.3f} cer {char_error_rate(net, held):.3f}")

words = held[-1]
print("always 'E' per letter:", round(sum(distance(["E"] * len(w), w) for w in words) / sum(map(len, words)), 3))
print(f"result: char_error_rate {char_error_rate(net, held):.4f}")
