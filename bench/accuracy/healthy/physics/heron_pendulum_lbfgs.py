# fault: none
# family: physics
# split: held

# Period of a pendulum against its amplitude and damping: full batch, L-BFGS with strong Wolfe line search, float64.
import os

import torch
from torch import nn

torch.set_default_dtype(torch.float64)
torch.manual_seed(int(os.environ.get("SEED", 0)))


def period(a, c):
    m = torch.sin(a / 2) ** 2
    agm_a, agm_b = torch.ones_like(a), torch.sqrt(1 - m)
    for _ in range(6):
        agm_a, agm_b = (agm_a + agm_b) / 2, torch.sqrt(agm_a * agm_b)
    return 1 / agm_a / torch.sqrt(1 - c ** 2)


def table(n):
    x = torch.rand(n, 2)
    return x * 2 - 1, period(x[:, 0] * 2.8, x[:, 1] * 0.6).unsqueeze(1) - 1


x, y = table(400)
xt, yt = table(400)
net = nn.Sequential(nn.Linear(2, 20), nn.Tanh(), nn.Linear(20, 20), nn.Tanh(), nn.Linear(20, 1))
opt = torch.optim.LBFGS(net.parameters(), lr=1.0, max_iter=8, history_size=30, tolerance_grad=1e-11, tolerance_change=1e-15, line_search_fn="strong_wolfe")


def closure():
    opt.zero_grad()
    loss = (net(x) - y).square().mean()
    loss.backward()
    return loss


for it in range(70):
    loss = opt.step(closure)
    if it % 10 == 9:
        with torch.no_grad():
            print(f"{it + 1:3d} train {loss.item():.2e} test {(net(xt) - yt).square().mean().item():.2e}")
