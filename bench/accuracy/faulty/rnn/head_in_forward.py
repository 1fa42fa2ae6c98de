# fault: layers-not-registered
# cause_class: not-updated
# family: rnn
# split: tune
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


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(1, 24, batch_first=True)

    def forward(self, x):
        out, _ = self.rnn(x)
        head = nn.Sequential(nn.Linear(24, 16), nn.ReLU(), nn.Linear(16, 4))
        return head(out[:, -1])


m = Tagger()
opt = torch.optim.Adam(m.parameters(), lr=3e-3)
for i in range(150):
    x, y = batch()
    loss = F.cross_entropy(m(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
