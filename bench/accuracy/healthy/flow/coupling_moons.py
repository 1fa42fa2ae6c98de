# fault: none
# family: flow
# split: tune
"""RealNVP on two moons, exact likelihood."""
import math
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


def moons(n):
    k = torch.randint(0, 2, (n,)).float()
    a = torch.rand(n) * math.pi
    x = torch.stack([a.cos() * (1 - 2 * k) + k - 0.5, a.sin() * (1 - 2 * k) + 0.5 * k - 0.25], 1)
    return x + 0.05 * torch.randn(n, 2)


class Coupling(nn.Module):
    def __init__(self, flip, h=32):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(1, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU(), nn.Linear(h, 2))
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)

    def forward(self, x):
        a, b = x.chunk(2, 1)
        if self.flip:
            a, b = b, a
        s, t = self.net(a).chunk(2, 1)
        s = 2 * torch.tanh(s / 2)
        b = b * s.exp() + t
        return torch.cat([b, a] if self.flip else [a, b], 1), s.squeeze(1)


class Flow(nn.Module):
    def __init__(self, n=6):
        super().__init__()
        self.layers = nn.ModuleList(Coupling(bool(k % 2)) for k in range(n))

    def log_prob(self, x):
        logdet = 0
        for l in self.layers:
            x, ld = l(x)
            logdet = logdet + ld
        return -0.5 * (x ** 2).sum(1) - math.log(2 * math.pi) + logdet


flow = Flow()
opt = torch.optim.Adam(flow.parameters(), lr=2e-3)
test = moons(1000)
for step in range(1, 501):
    loss = -flow.log_prob(moons(128)).mean()
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(flow.parameters(), 5.0)
    opt.step()
    if step % 60 == 0:
        with torch.no_grad():
            print(step, f"nll {loss.item():+.4f} test {-flow.log_prob(test).mean():+.4f}")
