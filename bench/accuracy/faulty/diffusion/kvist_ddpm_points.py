# fault: identical-batches
# cause_class: data-loading, overfit
# family: diffusion
# split: tune
import os

import torch
import torch.nn as nn

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)
STEPS = 50
beta = torch.linspace(1e-3, 0.12, STEPS)
abar = torch.cumprod(1 - beta, 0)


def dataset(n):
    a = torch.randint(0, 8, (n,)) * (torch.pi / 4)
    p = torch.stack([a.cos(), a.sin()], 1) * 1.4 + 0.08 * torch.randn(n, 2)
    return p


class Denoiser(nn.Module):
    def __init__(self, h=96):
        super().__init__()
        self.time = nn.Embedding(STEPS, 32)
        self.net = nn.Sequential(nn.Linear(34, h), nn.SiLU(), nn.Linear(h, h), nn.SiLU(), nn.Linear(h, 2))

    def forward(self, x, t):
        return self.net(torch.cat([x, self.time(t)], 1))


class BatchSource:
    """Draws points, times and noise; one generator so that a run can be repeated exactly."""

    def __init__(self, data, size, seed):
        self.data, self.size, self.seed = data, size, seed

    def draw(self):
        g = torch.Generator().manual_seed(self.seed)
        x0 = self.data[torch.randint(0, len(self.data), (self.size,), generator=g)]
        t = torch.randint(0, STEPS, (self.size,), generator=g)
        eps = torch.randn(self.size, 2, generator=g)
        a = abar[t, None]
        return a.sqrt() * x0 + (1 - a).sqrt() * eps, t, eps


train = BatchSource(dataset(3000), 64, SEED + 11)
val = BatchSource(dataset(600), 512, SEED + 12)
net = Denoiser()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for i in range(1, 1201):
    x, t, eps = train.draw()
    loss = (net(x, t) - eps).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if i % 150 == 0:
        net.eval()
        with torch.no_grad():
            x, t, eps = val.draw()
            print(f"{i:5d} train {loss.item():.4f} val {(net(x, t) - eps).square().mean().item():.4f}")
        net.train()
