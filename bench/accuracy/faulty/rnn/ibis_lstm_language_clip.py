# fault: clip-too-tight
# cause_class: optimizer, learning-rate, not-updated
# family: rnn
# split: held
import argparse
import math
import os
import time

import torch
import torch.nn as nn

parser = argparse.ArgumentParser(description="character language model")
parser.add_argument("--emsize", type=int, default=24)
parser.add_argument("--nhid", type=int, default=64)
parser.add_argument("--lr", type=float, default=1.0, help="initial learning rate")
parser.add_argument("--clip", type=float, default=0.25e-3, help="gradient clipping")
parser.add_argument("--epochs", type=int, default=6)
parser.add_argument("--batch_size", type=int, default=20)
parser.add_argument("--bptt", type=int, default=16)
parser.add_argument("--seed", type=int, default=int(os.environ.get("SEED", 0)))
args = parser.parse_args([])
torch.manual_seed(args.seed)

WORDS = "the cat sat on a mat and saw that dog run to big red house while rain fell over green hills".split()
succ = {w: [WORDS[(i * 3 + k) % len(WORDS)] for k in (1, 2, 5)] for i, w in enumerate(WORDS)}


def write(n_words):
    out, w = [], WORDS[0]
    for _ in range(n_words):
        out.append(w)
        w = succ[w][int(torch.randint(0, 3, (1,)))]
    return " ".join(out)


text = write(6000)
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
ids = torch.tensor([stoi[c] for c in text])


def batchify(data, bsz):
    n = data.size(0) // bsz
    return data[:n * bsz].view(bsz, -1).t().contiguous()


cut = int(0.9 * len(ids))
train_data, val_data = batchify(ids[:cut], args.batch_size), batchify(ids[cut:], args.batch_size)


class RNNModel(nn.Module):
    def __init__(self, ntoken, ninp, nhid):
        super().__init__()
        self.encoder = nn.Embedding(ntoken, ninp)
        self.rnn = nn.LSTM(ninp, nhid)
        self.decoder = nn.Linear(nhid, ntoken)

    def forward(self, x, hidden):
        out, hidden = self.rnn(self.encoder(x), hidden)
        return self.decoder(out).flatten(0, 1), hidden


def get_batch(source, i):
    n = min(args.bptt, len(source) - 1 - i)
    return source[i:i + n], source[i + 1:i + 1 + n].reshape(-1)


def evaluate(source):
    model.eval()
    total, hidden = 0.0, None
    with torch.no_grad():
        for i in range(0, source.size(0) - 1, args.bptt):
            data, targets = get_batch(source, i)
            out, hidden = model(data, hidden)
            total += len(data) * criterion(out, targets).item()
    return total / (len(source) - 1)


model = RNNModel(len(chars), args.emsize, args.nhid)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
for epoch in range(1, args.epochs + 1):
    model.train()
    start, total, hidden, steps = time.time(), 0.0, None, 0
    for i in range(0, train_data.size(0) - 1, args.bptt):
        data, targets = get_batch(train_data, i)
        if hidden is not None:
            hidden = tuple(h.detach() for h in hidden)
        optimizer.zero_grad()
        out, hidden = model(data, hidden)
        loss = criterion(out, targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        optimizer.step()
        total += loss.item()
        steps += 1
    val = evaluate(val_data)
    print(f"| epoch {epoch} | steps {steps} | {time.time() - start:.1f}s | train {total / steps:.3f} "
          f"| valid {val:.3f} | ppl {math.exp(val):.2f}")
