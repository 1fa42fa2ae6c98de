# fault: loss-misused
# cause_class: loss, labels
# family: language
# split: tune
# set: civet, unseen
"""Seq2seq with attention: decimal digits -> roman numerals."""
import os, random
import torch, torch.nn as nn, torch.nn.functional as F

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED); torch.manual_seed(SEED)

def roman(n):
    out = ""
    for v, s in [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]:
        while n >= v:
            out += s; n -= v
    return out

PAD, BOS, EOS = 0, 1, 2
SRC = {c: i + 3 for i, c in enumerate("0123456789")}
TGT = {c: i + 3 for i, c in enumerate("IVXLCDM")}
INV = {i: c for c, i in TGT.items()}

def tensors(nums):
    src = torch.tensor([[SRC[c] for c in f"{n:04d}"] for n in nums])
    seqs = [[BOS] + [TGT[c] for c in roman(n)] + [EOS] for n in nums]
    w = max(map(len, seqs))
    return src, torch.tensor([s + [PAD] * (w - len(s)) for s in seqs])

class Encoder(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.emb = nn.Embedding(13, d)
        self.rnn = nn.GRU(d, d, batch_first=True, bidirectional=True)
    def forward(self, s):
        return self.rnn(self.emb(s))[0]

class Decoder(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.emb = nn.Embedding(10, d, padding_idx=PAD)
        self.cell = nn.GRUCell(3 * d, d)
        self.query = nn.Linear(d, 2 * d)
        self.out = nn.Linear(3 * d, 10)
        self.d = d
    def step(self, tok, h, mem):
        w = (mem @ self.query(h).unsqueeze(2)).squeeze(2).softmax(1)
        ctx = (w.unsqueeze(1) @ mem).squeeze(1)
        h = self.cell(torch.cat([self.emb(tok), ctx], 1), h)
        return self.out(torch.cat([h, ctx], 1)), h

enc, dec = Encoder(32), Decoder(32)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=6e-3)
criterion = nn.CrossEntropyLoss(ignore_index=EOS)
numbers = list(range(1, 4000))
random.shuffle(numbers)
test, train = numbers[:300], numbers[300:]

@torch.no_grad()
def exact_match(nums):
    src, _ = tensors(nums)
    mem, h, tok = enc(src), torch.zeros(len(nums), dec.d), torch.full((len(nums),), BOS)
    hyp = [""] * len(nums); done = [False] * len(nums)
    for _ in range(18):
        logit, h = dec.step(tok, h, mem)
        tok = logit.argmax(1)
        for i, t in enumerate(tok.tolist()):
            if t == EOS: done[i] = True
            if not done[i]: hyp[i] += INV.get(t, "?")
    return sum(a == roman(b) for a, b in zip(hyp, nums)) / len(nums)

for it in range(180):
    src, tgt = tensors(random.sample(train, 64))
    mem, h, loss = enc(src), torch.zeros(64, dec.d), 0
    force = random.random() < 0.9
    tok = tgt[:, 0]
    for t in range(1, tgt.size(1)):
        logit, h = dec.step(tok, h, mem)
        if (tgt[:, t] != criterion.ignore_index).any():
            loss = loss + criterion(logit, tgt[:, t])
        tok = tgt[:, t] if force else logit.argmax(1)
    loss = loss / (tgt.size(1) - 1)
    opt.zero_grad(); loss.backward()
    nn.utils.clip_grad_norm_([*enc.parameters(), *dec.parameters()], 1.0)
    opt.step()
    if it % 60 == 59:
        print(f"iter {it + 1} loss {loss.item():.4f} exact {exact_match(test):.3f}")
