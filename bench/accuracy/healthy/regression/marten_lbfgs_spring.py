# fault: none
# family: regression
# split: held
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))

# displacement of a damped spring, measured at irregular times
t = torch.rand(160, 1) * 8
x = torch.exp(-0.25 * t) * torch.cos(2.0 * t) + 0.02 * torch.randn_like(t)
train_t, train_x, test_t, test_x = t[:120], x[:120], t[120:], x[120:]
scale = lambda t: (t - 4) / 2.3

net = nn.Sequential(nn.Linear(1, 24), nn.Tanh(), nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, 1))
opt = torch.optim.LBFGS(net.parameters(), lr=1.0, max_iter=10, history_size=20, line_search_fn="strong_wolfe")


def closure():
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(scale(train_t)), train_x)
    loss.backward()
    return loss


for k in range(60):
    loss = opt.step(closure)
    if k % 6 == 0 or k == 59:
        with torch.no_grad():
            test = nn.functional.mse_loss(net(scale(test_t)), test_x)
        print(f"{k:2d} fit {loss.item():.5f} test {test.item():.5f}")
