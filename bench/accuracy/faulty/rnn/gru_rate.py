# fault: learning-rate-too-high
# cause_class: learning-rate
# family: rnn
# split: tune
# twin: healthy/rnn/gru_rate.py
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))

t = torch.linspace(0, 1, 30)


def batch(n=32):
    k = torch.randint(4, (n,))
    x = torch.sin(6.28 * (k + 2).float()[:, None] * t + 6.28 * torch.rand(n, 1)) + 0.3 * torch.randn(n, 30)
    return x[..., None], k


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(1, 32, batch_first=True)
        self.out = nn.Linear(32, 4)

    def forward(self, x):
        return self.out(self.rnn(x)[0][:, -1])


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=0.5)
for i in range(250):
    x, y = batch()
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
