# fault: none
# family: regression
# split: held
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
xy = torch.rand(500, 2) * 4 - 2
f = 3 * (1 - xy[:, 0]) ** 2 * torch.exp(-xy[:, 0] ** 2 - (xy[:, 1] + 1) ** 2) - torch.exp(-(xy ** 2).sum(1))
f = ((f - f.mean()) / f.std())[:, None]
net = nn.Sequential(nn.Linear(2, 24), nn.Tanh(), nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, 1))
opt = torch.optim.LBFGS(net.parameters(), lr=1.0, max_iter=8, history_size=20, line_search_fn="strong_wolfe")
train, test = slice(0, 400), slice(400, None)


def closure():
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(xy[train]), f[train])
    loss.backward()
    return loss


for it in range(70):
    loss = opt.step(closure)
    if it % 10 == 0 or it == 69:
        with torch.no_grad():
            print(it, f"{loss.item():.6f}", f"test {nn.functional.mse_loss(net(xy[test]), f[test]).item():.6f}")
