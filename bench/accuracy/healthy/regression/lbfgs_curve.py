# fault: none
# family: regression
# split: held
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
torch.set_default_dtype(torch.float64)

x = torch.linspace(-3, 3, 150).unsqueeze(1)
y = torch.sin(2 * x) * torch.exp(-0.2 * x ** 2) + 0.05 * torch.randn_like(x)
xv = torch.rand(100, 1) * 6 - 3
yv = torch.sin(2 * xv) * torch.exp(-0.2 * xv ** 2)

net = nn.Sequential(nn.Linear(1, 12), nn.Tanh(), nn.Linear(12, 12), nn.Tanh(), nn.Linear(12, 1))
opt = torch.optim.LBFGS(net.parameters(), lr=1.0, max_iter=8, history_size=20, line_search_fn="strong_wolfe")


def closure():
    opt.zero_grad()
    loss = (net(x) - y).pow(2).mean() + 1e-5 * sum(p.pow(2).sum() for p in net.parameters())
    loss.backward()
    return loss


for it in range(60):
    loss = opt.step(closure)
    if it % 6 == 0:
        with torch.no_grad():
            print(f"{it} loss {loss.item():.6f} error against the true curve {(net(xv) - yv).pow(2).mean().item():.6f}")
