# fault: none
# family: flows
# split: held
"""RealNVP on narrow plasma filaments; negative log-likelihood in nats, densities well above one."""
import math, os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


def filaments(n):
    t = torch.rand(n) * 2 - 1
    y = 0.3 * torch.sin(3 * t) + 0.01 * torch.randn(n)
    return torch.stack([t * 0.25, y], 1)


class Coupling(nn.Module):
    def __init__(self, flip):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 2))
        nn.init.zeros_(self.net[-1].weight)            # starts as the identity
        nn.init.zeros_(self.net[-1].bias)

    def forward(self, x):
        a, b = x.chunk(2, 1)
        if self.flip:
            a, b = b, a
        s, t = self.net(a).chunk(2, 1)
        s = 3 * torch.tanh(s / 3)
        b = b * s.exp() + t
        out = torch.cat([b, a] if self.flip else [a, b], 1)
        return out, s.squeeze(1)


flow = nn.ModuleList([Coupling(i % 2 == 1) for i in range(6)])
opt = torch.optim.Adam(flow.parameters(), lr=3e-3)
sch = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, T_0=100)
for step in range(400):
    z, ld = filaments(128) * 4, 0.0
    for f in flow:
        z, s = f(z)
        ld = ld + s
    nll = (0.5 * z.pow(2).sum(1) + math.log(2 * math.pi) - ld).mean() - 2 * math.log(4)
    opt.zero_grad()
    nll.backward()
    nn.utils.clip_grad_norm_(flow.parameters(), 5.0)
    opt.step()
    sch.step()
    if step % 99 == 0:
        print(f"{step:4d} nll {nll.item():8.4f} lr {sch.get_last_lr()[0]:.5f}")
