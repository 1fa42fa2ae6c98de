# fault: none
# family: language
# split: held
import math
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
VOCAB, BPTT, STREAMS = 60, 16, 20

g = torch.Generator().manual_seed(4)
table = torch.randn(VOCAB, VOCAB, generator=g).mul(2.2).softmax(1)


def corpus(n, streams):
    x = torch.empty(streams, n, dtype=torch.long)
    x[:, 0] = torch.randint(VOCAB, (streams,))
    for t in range(1, n):
        x[:, t] = torch.multinomial(table[x[:, t - 1]], 1).squeeze(1)
    return x


class TiedLM(nn.Module):
    def __init__(self, dim=40):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, dim)
        self.gru = nn.GRU(dim, 64, batch_first=True)
        self.down = nn.Linear(64, dim)
        self.decoder = nn.Linear(dim, VOCAB)
        nn.init.normal_(self.emb.weight, std=0.15)
        self.decoder.weight = self.emb.weight
        self.drop = nn.Dropout(0.1)

    def forward(self, x, h=None):
        y, h = self.gru(self.drop(self.emb(x)), h)
        return self.decoder(self.down(self.drop(y))), h


text, valid = corpus(BPTT * 25 + 1, STREAMS), corpus(200, 10)
lm = TiedLM()
opt = torch.optim.Adam(lm.parameters(), lr=4e-3)
entropy = -(table * table.log()).sum(1).mean().item()
print(f"entropy of the source {entropy:.3f}, uniform {math.log(VOCAB):.3f}")
for epoch in range(9):
    lm.train()
    h, total = None, 0.0
    for t in range(0, BPTT * 25, BPTT):
        x, y = text[:, t:t + BPTT], text[:, t + 1:t + BPTT + 1]
        if h is not None:
            h = h.detach()
        out, h = lm(x, h)
        loss = F.cross_entropy(out.reshape(-1, VOCAB), y.reshape(-1))
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(lm.parameters(), 0.25)
        opt.step()
        total += loss.item() / 25
    lm.eval()
    with torch.no_grad():
        out, _ = lm(valid[:, :-1])
        v = F.cross_entropy(out.reshape(-1, VOCAB), valid[:, 1:].reshape(-1))
    print(f"epoch {epoch} train {total:.4f} valid {v.item():.4f}")
