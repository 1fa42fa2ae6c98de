# fault: zero-grad
# cause_class: zero-grad, optimizer
# family: lbfgs
# split: tune
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
x = torch.linspace(-2, 2, 200).unsqueeze(1)
y = torch.sin(3 * x) * torch.exp(-x ** 2 / 3)
net = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 20), nn.Tanh(), nn.Linear(20, 1))
opt = torch.optim.LBFGS(net.parameters(), lr=0.2, max_iter=4, history_size=10)


def closure():
    loss = ((net(x) - y) ** 2).mean()
    loss.backward()
    return loss


for it in range(100):
    loss = opt.step(closure)
    if it % 10 == 0:
        print(it, loss.item())
