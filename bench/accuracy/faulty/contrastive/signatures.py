# fault: not-finite
# cause_class: non-finite, loss
# family: contrastive
# split: tune
# twin: healthy/twins/signatures.py
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
writers = torch.randn(40, 24)


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(24, 48), nn.ReLU(), nn.Linear(48, 16))

    def forward(self, a, b):
        return self.net(a), self.net(b)


def distance(u, v):
    return ((u - v) ** 2).sum(1).sqrt()


def pairs(n):
    i = torch.randint(40, (n,))
    j = torch.where(torch.rand(n) < 0.5, i, torch.randint(40, (n,)))
    a = writers[i] + 0.3 * torch.randn(n, 24)
    b = writers[j] + 0.3 * torch.randn(n, 24)
    # some specimens were scanned once and filed twice
    dup = (torch.rand(n) < 0.001) & (i == j)
    b[dup] = a[dup]
    return a, b, (i == j).float()


model = Siamese()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
margin = 2.0
for it in range(300):
    a, b, same = pairs(64)
    d = distance(*model(a, b))
    loss = (same * d ** 2 + (1 - same) * F.relu(margin - d) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if it % 60 == 0:
        print(it, loss.item())
