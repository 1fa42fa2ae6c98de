# fault: none
# family: curriculum
# split: tune
"""A GRU that adds marked numbers; the sequences grow as it learns, so the loss jumps up at each stage."""
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
STAGES = [(4, 150), (8, 150), (14, 200)]


def adding(n, length):
    v = torch.rand(n, length) - 0.5
    m = torch.zeros(n, length)
    first = torch.randint(0, length // 2, (n,))
    second = torch.randint(length // 2, length, (n,))
    r = torch.arange(n)
    m[r, first] = 1
    m[r, second] = 1
    return torch.stack([v, m], -1), (v * m).sum(1)


class Adder(nn.Module):
    def __init__(self, h=32):
        super().__init__()
        self.gru = nn.GRU(2, h, batch_first=True)
        self.fc = nn.Linear(h, 1)

    def forward(self, x):
        return self.fc(self.gru(x)[0][:, -1]).squeeze(1)


net = Adder()
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
step = 0
for length, updates in STAGES:
    for _ in range(updates):
        x, y = adding(48, length)
        loss = nn.functional.mse_loss(net(x), y)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        step += 1
        if step % 50 == 0:
            with torch.no_grad():
                tx, ty = adding(300, 14)
                print(f"{step} length {length} mse {loss.item():.5f} at length 14 {nn.functional.mse_loss(net(tx), ty):.5f} (variance {ty.var():.3f})")
