# fault: none
# family: pinn
# split: held
# Physics-informed network for u_t = 0.1 u_xx on [0,1]x[0,1], u(x,0)=sin(pi x), u(0,t)=u(1,t)=0.
# Adam first, L-BFGS after it. The loss ends at 1e-5, is that still a training or only rounding?
import os
import math
import torch
import torch.nn as nn
from torch.autograd import grad

torch.manual_seed(int(os.environ.get("SEED", 0)))
kappa = 0.1


class PINN(nn.Module):
    def __init__(self, widths=(2, 24, 24, 24, 1)):
        super().__init__()
        self.lin = nn.ModuleList(nn.Linear(i, o) for i, o in zip(widths[:-1], widths[1:]))
        for l in self.lin:
            nn.init.xavier_normal_(l.weight)
            nn.init.zeros_(l.bias)

    def forward(self, x, t):
        h = torch.cat([2 * x - 1, 2 * t - 1], 1)
        for l in self.lin[:-1]:
            h = torch.tanh(l(h))
        return self.lin[-1](h)


x_f, t_f = torch.rand(400, 1, requires_grad=True), torch.rand(400, 1, requires_grad=True)
x_0 = torch.linspace(0, 1, 64)[:, None]
t_b = torch.rand(64, 1)
net = PINN()
history = []


def loss_terms():
    u = net(x_f, t_f)
    ones = torch.ones_like(u)
    u_t, u_x = grad(u, (t_f, x_f), ones, create_graph=True)
    u_xx = grad(u_x, x_f, ones, create_graph=True)[0]
    pde = (u_t - kappa * u_xx).pow(2).mean()
    ic = (net(x_0, torch.zeros_like(x_0)) - torch.sin(math.pi * x_0)).pow(2).mean()
    bc = net(torch.zeros_like(t_b), t_b).pow(2).mean() + net(torch.ones_like(t_b), t_b).pow(2).mean()
    return pde, ic, bc


def error():
    x, t = torch.rand(1000, 1), torch.rand(1000, 1)
    with torch.no_grad():
        exact = torch.exp(-kappa * math.pi ** 2 * t) * torch.sin(math.pi * x)
        return ((net(x, t) - exact).norm() / exact.norm()).item()


adam = torch.optim.Adam(net.parameters(), lr=2e-3)
for it in range(400):
    adam.zero_grad()
    pde, ic, bc = loss_terms()
    loss = pde + 5 * ic + 5 * bc
    loss.backward()
    adam.step()
    if it % 50 == 0:
        print(f"adam  {it:4d} pde {pde.item():.2e} ic {ic.item():.2e} bc {bc.item():.2e} rel.err {error():.4f}")

lbfgs = torch.optim.LBFGS(net.parameters(), lr=1.0, max_iter=5, history_size=30, line_search_fn="strong_wolfe")


def closure():
    lbfgs.zero_grad()
    pde, ic, bc = loss_terms()
    total = pde + 5 * ic + 5 * bc
    total.backward()
    return total


for it in range(40):
    total = lbfgs.step(closure)
    if it % 8 == 0:
        print(f"lbfgs {it:4d} loss {total.item():.2e} rel.err {error():.4f}")
print("relative error", error())
