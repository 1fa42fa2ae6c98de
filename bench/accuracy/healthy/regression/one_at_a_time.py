# fault: none
# family: regression
# split: tune
import os
import random

import torch
from torch import nn

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)

# online learning: one reading at a time, as it comes
net = nn.Sequential(nn.Linear(3, 24), nn.Tanh(), nn.Linear(24, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.03)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda k: 1.0 / (1.0 + k / 600))


def reading():
    x = torch.randn(1, 3)
    y = torch.sin(x[:, :1]) + 0.5 * x[:, 1:2] * x[:, 2:3] + 0.2 * torch.randn(1, 1)
    return x, y


test = [reading() for _ in range(300)]
tx, ty = torch.cat([a for a, _ in test]), torch.cat([b for _, b in test])
smooth = None
for k in range(1, 2001):
    x, y = reading()
    loss = (net(x) - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    smooth = loss.item() if smooth is None else 0.99 * smooth + 0.01 * loss.item()
    if k % 200 == 0:
        with torch.no_grad():
            print(f"{k} running {smooth:.4f} test {nn.functional.mse_loss(net(tx), ty):.4f} (variance {ty.var():.3f})")
