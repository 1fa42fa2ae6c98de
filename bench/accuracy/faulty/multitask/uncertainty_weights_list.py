# fault: not-in-optimiser
# cause_class: not-updated, optimizer
# family: multitask
# split: tune
"""Two tasks on one trunk; their losses are weighed by learnt log-variances."""
import os

import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
MIX = torch.randn(8, 4)


class TwoTasks(nn.Module):
    def __init__(self, width=48):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(8, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.level, self.kind = nn.Linear(width, 1), nn.Linear(width, 3)

    def forward(self, x):
        h = self.trunk(x)
        return self.level(h).squeeze(1), self.kind(h)


def batch(n):
    x = torch.randn(n, 8)
    z = torch.tanh(x @ MIX)
    return x, 2 * z[:, 0] + 0.3 * torch.randn(n), z[:, 1:].argmax(1)


net = TwoTasks()
log_vars = [nn.Parameter(torch.zeros(())) for _ in range(2)]
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for step in range(400):
    x, level, kind = batch(48)
    p, q = net(x)
    losses = F.mse_loss(p, level), F.cross_entropy(q, kind)
    loss = sum(torch.exp(-s) * l + s for s, l in zip(log_vars, losses))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 0:
        print(step, [round(l.item(), 3) for l in losses], [round(s.item(), 3) for s in log_vars])
