# fault: learning-rate-too-high
# cause_class: learning-rate, optimizer
# family: timeseries
# split: tune
import argparse
import math
import os

import torch
import torch.nn as nn

ap = argparse.ArgumentParser()
ap.add_argument("--steps", type=int, default=500)
ap.add_argument("--base-lr", type=float, default=0.01)
ap.add_argument("--max-lr", type=float, default=0.6)
ap.add_argument("--window", type=int, default=24)
args = ap.parse_args([])

torch.manual_seed(int(os.environ.get("SEED", 0)))

t = torch.arange(3000, dtype=torch.float32)
level = torch.sin(2 * math.pi * t / 12.4) + 0.4 * torch.sin(2 * math.pi * t / 24.8 + 1) + 0.05 * torch.randn(3000)
level = (level - level.mean()) / level.std()
win = level.unfold(0, args.window + 1, 1)
X, Y = win[:, :-1], win[:, -1:]
n_train = 2400


class TideNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(args.window, 64), nn.ReLU(),
            nn.Linear(64, 64), nn.ReLU(),
            nn.Linear(64, 1),
        )

    def forward(self, x):
        return self.body(x)


net = TideNet()
opt = torch.optim.SGD(net.parameters(), lr=args.base_lr, momentum=0.9)
sched = torch.optim.lr_scheduler.OneCycleLR(
    opt, max_lr=args.max_lr, total_steps=args.steps, pct_start=0.4, div_factor=args.max_lr / args.base_lr,
    cycle_momentum=False)
for step in range(args.steps):
    i = torch.randint(0, n_train, (64,))
    loss = nn.functional.mse_loss(net(X[i]), Y[i])
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    sched.step()
    if step % 25 == 0:
        print(step, "loss %.4f" % loss.item())
net.eval()
with torch.no_grad():
    print("held-out mse %.4f" % nn.functional.mse_loss(net(X[n_train:]), Y[n_train:]).item())
