# fault: none
# family: regression
# split: tune
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
torch.set_default_dtype(torch.float64)
g = torch.rand(300, 2) * 4 - 2
z = ((1 - g[:, 0]) ** 2 * torch.exp(-g[:, 0] ** 2 - (g[:, 1] + 1) ** 2) - torch.exp(-(g ** 2).sum(1)))[:, None]
train_x, train_z, val_x, val_z = g[:220], z[:220], g[220:], z[220:]
net = nn.Sequential(nn.Linear(2, 20), nn.Tanh(), nn.Linear(20, 20), nn.Tanh(), nn.Linear(20, 1))
opt = torch.optim.LBFGS(net.parameters(), lr=1.0, max_iter=8, history_size=20, line_search_fn="strong_wolfe")
mse = nn.MSELoss()
calls = 0


def closure():
    global calls
    calls += 1
    opt.zero_grad()
    loss = mse(net(train_x), train_z) + 1e-6 * sum((p ** 2).sum() for p in net.parameters())
    loss.backward()
    return loss


for outer in range(80):
    loss = opt.step(closure)
    if outer % 10 == 0 or outer == 79:
        with torch.no_grad():
            print(outer, calls, f"train {loss.item():.2e} val {mse(net(val_x), val_z).item():.2e}")
