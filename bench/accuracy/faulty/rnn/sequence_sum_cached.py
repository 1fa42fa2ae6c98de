# fault: detached-mid-network
# cause_class: not-updated, structure
# family: rnn
# split: tune
"""Encoder runs over sentences, decoder reads the collected sentence vectors of a document."""
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
VOCAB, SENT, LEN = 20, 5, 6
value = torch.randint(0, 2, (VOCAB,)).float()        # every word is worth 0 or 1


def documents(n):
    x = torch.randint(0, VOCAB, (n, SENT, LEN))
    parity = (value[x].sum(2) > LEN / 2).sum(1)
    return x, parity


class SentenceEncoder(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, 8)
        self.gru = nn.GRU(8, dim, batch_first=True)

    def forward(self, s):
        return self.gru(self.emb(s))[1][0]


class DocumentModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = SentenceEncoder()
        self.doc = nn.GRU(4, 24, batch_first=True)
        self.out = nn.Linear(24, SENT + 1)

    def forward(self, x):
        memory = torch.zeros(len(x), SENT, 4)
        for i in range(SENT):
            memory.data[:, i] = self.encoder(x[:, i])
        _, h = self.doc(memory)
        return self.out(h[0])


model = DocumentModel()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
xv, yv = documents(300)
for step in range(300):
    x, y = documents(48)
    opt.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    opt.step()
    if step % 50 == 49:
        model.eval()
        with torch.no_grad():
            acc = (model(xv).argmax(1) == yv).float().mean()
        model.train()
        print(f"{step + 1:4d} loss {loss.item():.3f} acc {acc:.3f}")
