# fault: none
# family: rnn
# split: tune
"""Truncated backpropagation by hand: an LSTM cell whose state is detached at every eighth step, one loss for the whole sequence."""
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Echo(nn.Module):
    def __init__(self, hidden=32, window=8):
        super().__init__()
        self.window = window
        self.cell, self.out = nn.LSTMCell(4, hidden), nn.Linear(hidden, 4)

    def forward(self, x):
        state, outs = None, []
        for t in range(x.size(1)):
            if state is not None and t % self.window == 0:
                state = tuple(s.detach() for s in state)
            state = self.cell(x[:, t], state)
            outs.append(self.out(state[0]))
        return torch.stack(outs, 1)


model = Echo()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for it in range(300):
    x = torch.randn(32, 16, 4).sign()
    y = x.roll(2, 1)
    loss = nn.functional.mse_loss(model(x)[:, 2:], y[:, 2:])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 50 == 0:
        print(it, round(loss.item(), 4))
