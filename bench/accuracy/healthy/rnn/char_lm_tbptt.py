# fault: none
# family: rnn
# split: held
# character language model, truncated backpropagation, state carried over
import os
import random
import torch
import torch.nn as nn

seed = int(os.environ.get("SEED", "0"))
random.seed(seed)
torch.manual_seed(seed)

words = "the cat sat on a mat and the dog ran to the red barn while rain fell over old stone walls".split()
nxt = {w: random.sample(words, 3) for w in set(words)}
w, text = "the", []
for _ in range(6000):
    text.append(w)
    w = random.choice(nxt[w])
text = " ".join(text)
chars = sorted(set(text))
ids = torch.tensor([chars.index(c) for c in text])

BATCH, BPTT = 20, 30


def batchify(d):
    n = len(d) // BATCH
    return d[: n * BATCH].view(BATCH, n).t().contiguous()


data = batchify(ids)


def repackage_hidden(h):
    return tuple(v.detach() for v in h)


class RNNModel(nn.Module):
    def __init__(self, v, d=32, h=64):
        super().__init__()
        self.enc, self.rnn, self.dec = nn.Embedding(v, d), nn.LSTM(d, h), nn.Linear(h, v)
        self.h = h

    def forward(self, x, hidden):
        o, hidden = self.rnn(self.enc(x), hidden)
        return self.dec(o), hidden

    def init_hidden(self):
        return (torch.zeros(1, BATCH, self.h), torch.zeros(1, BATCH, self.h))


model = RNNModel(len(chars))
crit = nn.CrossEntropyLoss()
lr = 4.0
for epoch in range(5):
    hidden, tot, k = model.init_hidden(), 0.0, 0
    for i in range(0, len(data) - 1 - BPTT, BPTT):
        hidden = repackage_hidden(hidden)
        x, t = data[i:i + BPTT], data[i + 1:i + 1 + BPTT]
        model.zero_grad()
        out, hidden = model(x, hidden)
        loss = crit(out.reshape(-1, len(chars)), t.reshape(-1))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        with torch.no_grad():
            for p in model.parameters():
                p.add_(p.grad, alpha=-lr)
        tot, k = tot + loss.item(), k + 1
    print(f"epoch {epoch} loss {tot / k:.4f} ppl {2.71828 ** (tot / k):.2f} lr {lr}")
    if epoch >= 3:
        lr /= 2
