# fault: none
# family: rnn
# split: tune
# Multiple-instance learning: attention pooling over a bag of which one item decides.
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


class AttentionMIL(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.feat = nn.Sequential(nn.Linear(d, 32), nn.ReLU())
        self.score = nn.Sequential(nn.Linear(32, 16), nn.Tanh(), nn.Linear(16, 1))
        self.cls = nn.Linear(32, 1)

    def forward(self, bags):
        h = self.feat(bags)
        a = torch.softmax(self.score(h), dim=1)
        return self.cls((a * h).sum(1)).squeeze(1)


key = torch.randn(8)
key = 3.5 * key / key.norm()


def bags(n, size=12):
    x = torch.randn(n, size, 8)
    y = torch.randint(0, 2, (n,))
    x[y == 1, 0] += key
    return x[:, torch.randperm(size)], y.float()


model = AttentionMIL(8)
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
bce = nn.BCEWithLogitsLoss()
out = []
for step in range(250):
    x, y = bags(32)
    loss = bce(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    out.append(loss.item())
print(f"loss first {sum(out[:5]) / 5:.4f} last {sum(out[-20:]) / 20:.4f}")
