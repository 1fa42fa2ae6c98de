# fault: none
# family: calibration
# split: held
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Thermistor(nn.Module):
    """Steinhart-Hart like curve per probe: 1/T = a + b*l + c*l^3 with l = ln R, all scaled to order one."""

    def __init__(self, probes):
        super().__init__()
        self.a = nn.Parameter(torch.zeros(probes))
        self.b = nn.Parameter(torch.ones(probes))
        self.c = nn.Parameter(torch.zeros(probes))
        self.log_gain = nn.Parameter(torch.zeros(probes))

    def forward(self, probe, l):
        s = l * self.log_gain[probe].exp()
        return self.a[probe] + self.b[probe] * s + self.c[probe] * s ** 3


def readings(n, probes):
    g = torch.randn(4, probes) * torch.tensor([[0.3], [0.2], [0.05], [0.1]])
    probe, l = torch.randint(0, probes, (n,)), 2 * torch.rand(n) - 1
    s = l * g[3][probe].exp()
    y = g[0][probe] + (1 + g[1][probe]) * s + (0.2 + g[2][probe]) * s ** 3
    return probe, l, y + 0.01 * torch.randn(n)


PROBES = 20
probe, l, y = readings(1500, PROBES)
tp, tl, ty = probe[1200:], l[1200:], y[1200:]
probe, l, y = probe[:1200], l[:1200], y[:1200]
model = Thermistor(PROBES)
opt = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=2, history_size=10, line_search_fn="strong_wolfe")
calls = 0


def closure():
    global calls
    calls += 1
    opt.zero_grad()
    prior = 1e-4 * model.log_gain.pow(2).sum() + 1e-4 * (model.c.pow(2)).sum()
    loss = (model(probe, l) - y).pow(2).mean() + prior / len(y)
    loss.backward()
    return loss


for it in range(1, 71):
    loss = opt.step(closure)
    if it in (1, 2, 5) or it % 10 == 0:
        with torch.no_grad():
            rmse = (model(tp, tl) - ty).pow(2).mean().sqrt().item()
        print(f"{it:3d} loss {loss.item():.6f} rmse {rmse:.4f} closures {calls}")
