# fault: none
# family: physics
# split: held
# set: heron, unseen
# metric: relative_l2 lower
# baseline: 1.0
# reaches: 0.01
# Unusual: full-batch LBFGS in double precision with a strong-Wolfe closure; the loss is a residual that falls over many decades
import math
import os

import torch

torch.set_default_dtype(torch.float64)
torch.manual_seed(int(os.environ.get("SEED", 0)))
OMEGA, ZETA, T_END = 4.0, 0.1, 2.0


def exact(t):
    wd = OMEGA * math.sqrt(1 - ZETA**2)
    return torch.exp(-ZETA * OMEGA * t) * (torch.cos(wd * t) + ZETA * OMEGA / wd * torch.sin(wd * t))


net = torch.nn.Sequential(
    torch.nn.Linear(1, 24), torch.nn.Tanh(), torch.nn.Linear(24, 24), torch.nn.Tanh(), torch.nn.Linear(24, 1)
)
for m in net:
    if isinstance(m, torch.nn.Linear):
        torch.nn.init.xavier_normal_(m.weight, gain=1.3)
        torch.nn.init.zeros_(m.bias)

t_col = torch.linspace(0, T_END, 80)[:, None].requires_grad_(True)


def derivative(y, t):
    return torch.autograd.grad(y, t, torch.ones_like(y), create_graph=True)[0]


def position(t):
    return 1 + t**2 * net(t)  # starts at 1 with zero velocity by construction


def physics_loss():
    x = position(t_col)
    v = derivative(x, t_col)
    a = derivative(v, t_col)
    residual = a + 2 * ZETA * OMEGA * v + OMEGA**2 * x
    return residual.pow(2).mean()


opt = torch.optim.LBFGS(net.parameters(), lr=1.0, max_iter=10, history_size=30, line_search_fn="strong_wolfe")


def closure():
    opt.zero_grad()
    loss = physics_loss()
    loss.backward()
    return loss


for outer in range(60):
    loss = opt.step(closure)
    if outer % 10 == 0:
        print(f"outer {outer} loss {loss.item():.3e}")

t = torch.linspace(0, T_END, 333)[:, None]
with torch.no_grad():
    err = ((position(t) - exact(t)).norm() / exact(t).norm()).item()
print(f"result: relative_l2 {err:.5f}")
