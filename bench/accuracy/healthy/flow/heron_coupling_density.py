# fault: none
# family: flow
# split: held
import os
import math
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


def sensor_pairs(n):
    t = torch.rand(n) * 3 * math.pi / 2 + math.pi / 4
    p = torch.stack([torch.cos(t), torch.sin(t)], 1) * 0.5
    return p + 0.03 * torch.randn(n, 2)


class Coupling(nn.Module):
    def __init__(self, flip, h=48):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(1, h), nn.SiLU(), nn.Linear(h, h), nn.SiLU(), nn.Linear(h, 2))
        nn.init.zeros_(self.net[-1].weight)     # begins as the identity
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
    def __init__(self, n=4):
        super().__init__()
        self.steps = nn.ModuleList([Coupling(i % 2 == 1) for i in range(n)])
        self.log_scale = nn.Parameter(torch.zeros(2))

    def log_prob(self, x):
        z = x * self.log_scale.exp()
        logdet = self.log_scale.sum().expand(len(x))
        for step in self.steps:
            z, ld = step(z)
            logdet = logdet + ld
        return -0.5 * z.square().sum(1) - math.log(2 * math.pi) + logdet


flow = Flow()
ema = torch.optim.swa_utils.AveragedModel(flow, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.98))
opt = torch.optim.Adam(flow.parameters(), lr=2e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, T_0=150, T_mult=1, eta_min=1e-4)
test = sensor_pairs(1000)
for it in range(450):
    loss = -flow.log_prob(sensor_pairs(128)).mean()
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(flow.parameters(), 2.0)
    opt.step()
    sched.step()
    ema.update_parameters(flow)
    if it % 75 == 74:
        with torch.no_grad():
            print(f"{it + 1} nll {loss.item():.3f} averaged model on test {-ema.module.log_prob(test).mean().item():.3f}")
