# fault: detached-mid-network
# cause_class: not-updated, structure
# family: sequence
# split: tune
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


class MeanOfSignal(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.hidden = hidden
        self.i2h, self.h2h, self.out = nn.Linear(3, hidden), nn.Linear(hidden, hidden), nn.Linear(hidden, 1)

    def step(self, x, h):
        return torch.tanh(self.i2h(x) + self.h2h(h.data))

    def forward(self, x):
        h = torch.zeros(x.size(0), self.hidden)
        for t in range(x.size(1)):
            h = self.step(x[:, t], h)
        return self.out(h).squeeze(1)


model = MeanOfSignal()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for it in range(400):
    x = torch.randn(32, 10, 3)
    y = x[:, :, 0].mean(1) * 3
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if it % 80 == 0:
        print(it, round(loss.item(), 4))
