# fault: none
# family: mlp
# split: tune
# A Lookahead optimiser of one's own around Adam: every six steps the weights jump back half way.
import os
from collections import defaultdict

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


class Lookahead:
    def __init__(self, inner, k=6, alpha=0.5):
        self.inner, self.k, self.alpha, self.count = inner, k, alpha, 0
        self.slow = defaultdict(dict)
        for g in inner.param_groups:
            for p in g["params"]:
                self.slow[p] = p.detach().clone()

    def zero_grad(self):
        self.inner.zero_grad()

    def step(self):
        self.inner.step()
        self.count += 1
        if self.count % self.k == 0:
            with torch.no_grad():
                for p, s in self.slow.items():
                    s.lerp_(p, self.alpha)
                    p.copy_(s)


w = torch.randn(15, 5)
x = torch.randn(2000, 15)
y = (x.sin() @ w).argmax(1)
net = nn.Sequential(nn.Linear(15, 64), nn.SiLU(), nn.Linear(64, 5))
opt = Lookahead(torch.optim.Adam(net.parameters(), lr=4e-3))
loss_fn = nn.CrossEntropyLoss()
trace = []
for step in range(300):
    i = torch.randint(0, 2000, (80,))
    opt.zero_grad()
    loss = loss_fn(net(x[i]), y[i])
    loss.backward()
    opt.step()
    trace.append(loss.item())
print(f"loss first {trace[0]:.4f} last {trace[-1]:.4f}")
