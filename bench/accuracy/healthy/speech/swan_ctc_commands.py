# fault: none
# family: speech
# split: held
"""CTC over a bank of toy filter outputs. Blank wins for the first epochs, which is how CTC starts."""
import math
import os
import random

import torch
from torch import nn
import torch.nn.functional as F

SEED = int(os.environ.get("SEED", "0"))
random.seed(SEED)
torch.manual_seed(SEED)
BANDS, SYMS = 12, 5
proto = torch.randn(SYMS, BANDS)


def utterance():
    syms = [random.randrange(SYMS) for _ in range(random.randint(2, 4))]
    fr = [torch.zeros(1, BANDS)]
    for s in syms:
        fr.append(proto[s].expand(random.randint(3, 4), -1))
        fr.append(torch.zeros(random.randint(1, 2), BANDS))
    x = torch.cat(fr)
    return x + 0.7 * torch.randn_like(x), torch.tensor(syms) + 1


def batches(data, size, shuffle):
    order = random.sample(range(len(data)), len(data)) if shuffle else list(range(len(data)))
    for i in range(0, len(order), size):
        xs, ys = zip(*[data[j] for j in order[i:i + size]])
        yield (nn.utils.rnn.pad_sequence(xs, batch_first=True), torch.tensor([len(x) for x in xs]),
               nn.utils.rnn.pad_sequence(ys, batch_first=True), torch.tensor([len(y) for y in ys]))


class Acoustic(nn.Module):
    def __init__(self, h=48):
        super().__init__()
        self.c1, self.c2, self.c3 = nn.Conv1d(BANDS, h, 5, padding=2), nn.Conv1d(h, h, 3, padding=1), nn.Conv1d(h, SYMS + 1, 1)

    def forward(self, x):
        h = F.gelu(self.c1(x.transpose(1, 2)))
        h = h + F.gelu(self.c2(h))
        return F.log_softmax(self.c3(h), dim=1).permute(2, 0, 1)  # T, N, C


class WarmupInvSqrt(torch.optim.lr_scheduler.LRScheduler):
    def __init__(self, opt, warm):
        self.warm = warm
        super().__init__(opt)

    def get_lr(self):
        s = self.last_epoch + 1
        f = min(s / self.warm, math.sqrt(self.warm / s))
        return [b * f for b in self.base_lrs]


def collapse(path):
    return [p for i, p in enumerate(path) if p and (i == 0 or path[i - 1] != p)]


train, test = [utterance() for _ in range(480)], [utterance() for _ in range(120)]
net = Acoustic()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
sched = WarmupInvSqrt(opt, 30)
for epoch in range(10):
    net.train()
    tot = n = 0
    for x, xl, y, yl in batches(train, 24, True):
        loss = F.ctc_loss(net(x), y, xl, yl, reduction="sum") / len(x)  # nats per utterance
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        sched.step()
        tot, n = tot + loss.item(), n + 1
    net.eval()
    ok = 0
    with torch.no_grad():
        for x, xl, y, yl in batches(test, 60, False):
            best = net(x).argmax(2).T
            ok += sum(collapse(b[:l].tolist()) == t[:k].tolist() for b, l, t, k in zip(best, xl, y, yl))
    print(f"epoch {epoch} nats {tot / n:.3f} exact {ok / len(test):.3f}")
