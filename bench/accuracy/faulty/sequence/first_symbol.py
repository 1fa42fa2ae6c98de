# fault: detached-mid-network
# cause_class: not-updated, structure
# family: sequence
# split: tune
# set: kvist, unseen
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
SYMBOLS, T = 6, 12


def repackage(h):
    if isinstance(h, torch.Tensor):
        return h.detach()
    return tuple(repackage(v) for v in h)


class Recaller(nn.Module):
    """Reads a sequence and says which symbol came first."""

    def __init__(self, hidden=48):
        super().__init__()
        self.hidden = hidden
        self.embed = nn.Embedding(SYMBOLS, 16)
        self.cell = nn.GRUCell(16, hidden)
        self.readout = nn.Linear(hidden, SYMBOLS)

    def forward(self, tokens):
        h = tokens.new_zeros(tokens.size(0), self.hidden, dtype=torch.float32)
        for t in range(tokens.size(1)):
            h = repackage(h)
            h = self.cell(self.embed(tokens[:, t]), h)
        return self.readout(h)


def batch(n=64):
    s = torch.randint(0, SYMBOLS, (n, T))
    return s, s[:, 0]


model = Recaller()
optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
for it in range(600):
    s, y = batch()
    loss = nn.functional.cross_entropy(model(s), y)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    optimizer.step()
    if it % 75 == 0 or it == 599:
        s, y = batch(300)
        with torch.no_grad():
            print(it, "loss", round(loss.item(), 4), "acc", round((model(s).argmax(1) == y).float().mean().item(), 3))
