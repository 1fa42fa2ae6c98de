# fault: detached-mid-network
# cause_class: not-updated, structure
# family: sequence
# split: tune
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
V, T, LAG = 8, 14, 3


class Letters(nn.Module):
    def __init__(self, hidden=48):
        super().__init__()
        self.embed, self.gru, self.out = nn.Embedding(V, 12), nn.GRU(12, hidden), nn.Linear(hidden, V)

    def forward(self, letter, state=None):
        y, state = self.gru(self.embed(letter)[None], state)
        return self.out(y[0]), state


def texts(n):
    s = torch.randint(0, V, (n, T))
    return s, s.roll(LAG, 1)


net = Letters()
opt = torch.optim.Adam(net.parameters(), lr=4e-3)
for step in range(250):
    s, y = texts(32)
    state, loss = None, 0.0
    for t in range(T):
        scores, state = net(s[:, t], state)
        state = state.detach()
        if t >= LAG:
            loss = loss + nn.functional.cross_entropy(scores, y[:, t])
    loss = loss / (T - LAG)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 0:
        print(step, round(loss.item(), 4))
