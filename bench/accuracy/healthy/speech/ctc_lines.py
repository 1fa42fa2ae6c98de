# fault: none
# family: speech
# split: tune
# CTC: a high start, then the long plateau of "all blank", then the fall.
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))

SYMBOLS, FRAMES = 6, 24
voice = torch.randn(SYMBOLS + 1, 10)


def utterances(n):
    feats, targets, lengths = torch.randn(FRAMES, n, 10) * 0.3, [], []
    for k in range(n):
        m = int(torch.randint(3, 6, ()))
        word = torch.randint(1, SYMBOLS + 1, (m,))
        t = int(torch.randint(0, 3, ()))
        for s in word:
            d = int(torch.randint(2, 4, ()))
            feats[t:t + d, k] += voice[s]
            t += d + 1
        targets.append(word)
        lengths.append(m)
    return feats, torch.cat(targets), torch.tensor(lengths)


class Acoustic(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(10, 24, bidirectional=True)
        self.out = nn.Linear(48, SYMBOLS + 1)

    def forward(self, x):
        return self.out(self.rnn(x)[0]).log_softmax(2)


model = Acoustic()
ctc = nn.CTCLoss(blank=0, zero_infinity=True)
opt = torch.optim.Adam(model.parameters(), lr=8e-3)
log = []
for step in range(140):
    x, y, yl = utterances(16)
    logp = model(x)
    loss = ctc(logp, y, torch.full((16,), FRAMES), yl)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    opt.step()
    log.append(loss.item())
print(f"loss first {log[0]:.4f} last {log[-1]:.4f}")
