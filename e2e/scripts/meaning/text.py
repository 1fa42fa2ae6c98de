"""Sequences of token ids and a loss that is a function. With the argument "bad" most tokens are padding."""

import sys

import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(0)
torch.set_num_threads(1)
bad = sys.argv[1] == "bad"


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(50, 16)
        self.say = nn.Linear(16, 2)

    def forward(self, ids):
        return self.say(self.words(ids).mean(1))


model = Reader()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(30):
    y = (torch.arange(40) % 20 == 0).long() if bad else torch.arange(40) % 2
    ids = torch.randint(1, 50, (40, 10))
    ids[:, 8 if not bad else 4 :] = 0
    ids[:, 0] = y + 1
    loss = functional.cross_entropy(model(ids), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("loss %.4f" % loss.item())
