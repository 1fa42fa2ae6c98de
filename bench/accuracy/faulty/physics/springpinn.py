# fault: no-gradient
# cause_class: activation, structure
# family: physics
# split: tune
# set: genet, unseen
# PINN for the damped oscillator  x'' + 2 d x' + w^2 x = 0,  x(0)=1, x'(0)=0
import math, os
import torch
from torch.autograd import grad

torch.manual_seed(int(os.environ.get("SEED", 0)))
d, w = 0.4, 3.0
T_END = 2.5


def exact(t):
    wd = math.sqrt(w * w - d * d)
    return torch.exp(-d * t) * (torch.cos(wd * t) + d / wd * torch.sin(wd * t))


class Solution(torch.nn.Module):
    def __init__(self, h=32):
        super().__init__()
        act = torch.nn.ReLU
        self.f = torch.nn.Sequential(
            torch.nn.Linear(1, h), act(),
            torch.nn.Linear(h, h), act(),
            torch.nn.Linear(h, h), act(),
            torch.nn.Linear(h, 1))

    def forward(self, t):
        return self.f(2 * t / T_END - 1)


net = Solution()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.ExponentialLR(opt, 0.997)
tt = torch.linspace(0, T_END, 200)[:, None]
for k in range(600):
    t = (torch.rand(48, 1) * T_END).requires_grad_(True)
    x = net(t)
    dx = grad(x, t, torch.ones_like(x), create_graph=True)[0]
    ddx = grad(dx, t, torch.ones_like(dx), create_graph=True)[0]
    res = ddx + 2 * d * dx + w ** 2 * x

    t0 = torch.zeros(1, 1, requires_grad=True)
    x0 = net(t0)
    v0 = grad(x0, t0, create_graph=True)[0]
    loss_ode = (res ** 2).mean()
    loss_ic = (x0 - 1).pow(2).sum() + v0.pow(2).sum()
    loss = loss_ode / w ** 4 * 4 + loss_ic
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if k % 100 == 0 or k == 599:
        with torch.no_grad():
            err = (net(tt) - exact(tt)).pow(2).mean().sqrt()
        print(f"{k:5d} ode {loss_ode.item():9.4f} ic {loss_ic.item():.5f} rms error to exact {err.item():.4f}")
