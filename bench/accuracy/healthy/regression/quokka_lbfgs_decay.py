# fault: none
# family: regression
# split: tune
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))
t = torch.linspace(0, 1, 200).unsqueeze(1)
y = torch.exp(-2 * t) * torch.cos(9 * t) + 0.02 * torch.randn_like(t)
net = nn.Sequential(nn.Linear(1, 24), nn.Tanh(), nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, 1))
opt = torch.optim.LBFGS(net.parameters(), lr=1.0, max_iter=4, history_size=20, line_search_fn="strong_wolfe")


def closure():
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(2 * t - 1), y)
    loss.backward()
    return loss


for it in range(70):
    loss = opt.step(closure)
    if it % 10 == 9:
        print(it + 1, f"{loss.item():.6f}")
