# fault: dropout-too-strong
# cause_class: regularisation
# family: mlp
# split: held
import os
from collections import OrderedDict

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
keep_prob = 0.95


class CellarNet(nn.Module):
    def __init__(self, n_in, n_out, width=96):
        super().__init__()
        self.net = nn.Sequential(OrderedDict(
            fc1=nn.Linear(n_in, width), act1=nn.ReLU(), drop1=nn.Dropout(keep_prob),
            fc2=nn.Linear(width, width), act2=nn.ReLU(), drop2=nn.Dropout(keep_prob),
            logits=nn.Linear(width, n_out)))

    def forward(self, x):
        return self.net(x)


def wines(n):
    """Eleven measurements of six grapes, every grape from two valleys."""
    g = torch.Generator().manual_seed(21)
    centres = torch.randn(6, 2, 11, generator=g)
    y, v = torch.randint(6, (n,)), torch.randint(2, (n,))
    return centres[y, v] + 0.55 * torch.randn(n, 11), y


x, y = wines(2400)
vx, vy = wines(600)
net = CellarNet(11, 6)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(14):
    net.train()
    batches = torch.randperm(2400).split(40)
    total = sum_right = 0.0
    for b in batches:
        out = net(x[b])
        loss = F.cross_entropy(out, y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
        sum_right += (out.argmax(1) == y[b]).sum().item()
    net.eval()
    with torch.no_grad():
        v = net(vx)
    print(f"{epoch:2d} train {total / len(batches):.3f} ({sum_right / 2400:.2f}) valid {F.cross_entropy(v, vy):.3f} ({(v.argmax(1) == vy).float().mean():.2f})")
