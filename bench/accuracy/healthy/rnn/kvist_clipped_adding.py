# fault: none
# family: rnn
# split: held
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
T = 16


def adding(n):
    v = torch.rand(n, T)
    m = torch.zeros(n, T)
    a, b = torch.randint(0, T // 2, (n,)), torch.randint(T // 2, T, (n,))
    r = torch.arange(n)
    m[r, a] = 1
    m[r, b] = 1
    return torch.stack([v, m], 2), ((v * m).sum(1, keepdim=True) - 1) / 0.41


class Adder(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(2, 40, batch_first=True)
        self.o = nn.Linear(40, 1)
        with torch.no_grad():
            self.lstm.bias_hh_l0[40:80] = 1.0

    def forward(self, x):
        return self.o(self.lstm(x)[0][:, -1])


net = Adder()
opt = torch.optim.Adam(net.parameters(), lr=6e-3)
norms = []
for step in range(1, 651):
    x, y = adding(64)
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    norms.append(float(nn.utils.clip_grad_norm_(net.parameters(), 0.05)))
    opt.step()
    if step % 65 == 0:
        print(f"{step} mse {loss.item():.4f} clipped in {sum(v > 0.05 for v in norms[-65:])} of 65 steps")
with torch.no_grad():
    x, y = adding(500)
    print("test mse", nn.functional.mse_loss(net(x), y).item())
