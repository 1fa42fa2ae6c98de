# fault: none
# family: diffusion
# split: held
import os

import torch
import torch.nn as nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

torch.manual_seed(int(os.environ.get("SEED", 0)))
N = 40
betas = torch.linspace(1e-3, 0.15, N)
ab = (1 - betas).cumprod(0)


def moons(n):
    a = torch.rand(n) * torch.pi
    side = torch.randint(0, 2, (n,)).float()
    x = torch.where(side > 0, 1 - a.cos(), a.cos()) - 0.5
    y = torch.where(side > 0, 0.5 - a.sin(), a.sin()) - 0.25
    return torch.stack([x, y], 1) * 1.3 + 0.05 * torch.randn(n, 2)


class Eps(nn.Module):
    def __init__(self):
        super().__init__()
        self.t = nn.Embedding(N, 24)
        self.f = nn.Sequential(nn.Linear(26, 96), nn.SiLU(), nn.Linear(96, 96), nn.SiLU(), nn.Linear(96, 2))

    def forward(self, x, t):
        return self.f(torch.cat([x, self.t(t)], 1))


def diffusion_loss(net, x0):
    t = torch.randint(0, N, (len(x0),))
    e = torch.randn_like(x0)
    a = ab[t].unsqueeze(1)
    return (net(a.sqrt() * x0 + (1 - a).sqrt() * e, t) - e).pow(2).mean()


net = Eps()
ema = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.99))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
data, hold = moons(4000), moons(1000)
for step in range(1, 901):
    loss = diffusion_loss(net, data[torch.randint(0, 4000, (96,))])
    opt.zero_grad()
    loss.backward()
    opt.step()
    ema.update_parameters(net)
    if step % 150 == 0:
        with torch.no_grad():
            print(step, f"loss {loss.item():.4f} held-out with averaged weights {diffusion_loss(ema, hold).item():.4f}")
