# fault: none
# family: seqtoseq
# split: tune
"""Reverse a string: GRU encoder, attention decoder, teacher forcing whose ratio falls, free running at the end."""
import os
import random
import torch
from torch import nn
import torch.nn.functional as F

seed = int(os.environ.get("SEED", 0))
random.seed(seed)
torch.manual_seed(seed)
SYMBOLS, LEN, SOS = 8, 6, 8


class Seq2Seq(nn.Module):
    def __init__(self, h=48):
        super().__init__()
        self.emb = nn.Embedding(SYMBOLS + 1, 24)
        self.enc = nn.GRU(24, h, batch_first=True)
        self.dec = nn.GRUCell(24 + h, h)
        self.att = nn.Linear(h, h, bias=False)
        self.out = nn.Linear(2 * h, SYMBOLS)

    def forward(self, src, target=None, forcing=0.0):
        memory, state = self.enc(self.emb(src))
        state = state[0]
        token = torch.full((len(src),), SOS)
        context = torch.zeros_like(state)
        logits = []
        for t in range(LEN):
            state = self.dec(torch.cat([self.emb(token), context], 1), state)
            weights = torch.einsum("bth,bh->bt", memory, self.att(state)).softmax(1)
            context = torch.einsum("bt,bth->bh", weights, memory)
            step = self.out(torch.cat([state, context], 1))
            logits.append(step)
            token = target[:, t] if target is not None and random.random() < forcing else step.argmax(1)
        return torch.stack(logits, 1)


model = Seq2Seq()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
xv = torch.randint(0, SYMBOLS, (200, LEN))
for step in range(301):
    x = torch.randint(0, SYMBOLS, (64, LEN))
    y = x.flip(1)
    logits = model(x, y, forcing=max(0.3, 1 - step / 300))
    loss = F.cross_entropy(logits.reshape(-1, SYMBOLS), y.reshape(-1))
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    if step % 50 == 0:
        model.eval()
        with torch.no_grad():
            exact = (model(xv).argmax(-1) == xv.flip(1)).float().mean()
        model.train()
        print(f"{step} loss {loss.item():.4f} free-running symbol accuracy {exact:.3f}")
