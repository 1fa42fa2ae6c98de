# fault: none
# family: density
# split: tune
import math
import os

import torch
import torch.nn as nn
from torch.distributions import Categorical, MixtureSameFamily, Normal
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))


def inverse_problem(n):
    """y given x has up to three branches, each of them sharp."""
    y = torch.rand(n) * 2 - 1
    x = y + 0.6 * torch.sin(math.pi * 2 * y * 0.9) + 0.02 * torch.randn(n)
    return x[:, None] / 0.6, y


class MDN(nn.Module):
    def __init__(self, k=5, h=64):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(1, h), nn.Tanh(), nn.Linear(h, h), nn.Tanh())
        self.pi, self.mu, self.sigma = nn.Linear(h, k), nn.Linear(h, k), nn.Linear(h, k)
        with torch.no_grad():
            self.mu.bias.copy_(torch.linspace(-0.8, 0.8, k))

    def forward(self, x):
        h = self.body(x)
        scale = nn.functional.softplus(self.sigma(h) - 1) + 0.01
        return MixtureSameFamily(Categorical(logits=self.pi(h)), Normal(self.mu(h), scale))


x, y = inverse_problem(3000)
xv, yv = inverse_problem(500)
net = MDN()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 12)
for epoch in range(12):
    net.train()
    tot = 0.0
    for a, b in DataLoader(TensorDataset(x, y), 100, shuffle=True):
        loss = -net(a).log_prob(b).mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 2.0)
        opt.step()
        tot += loss.item()
    sched.step()
    net.eval()
    with torch.no_grad():
        print(f"epoch {epoch} nll {tot / 30:+.4f} valid {-net(xv).log_prob(yv).mean():+.4f}")
