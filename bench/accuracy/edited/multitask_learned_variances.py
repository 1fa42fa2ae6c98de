# fault: none
# family: multitask
# split: held
# set: heron, unseen
# metric: mean_r2 higher
# baseline: 0.0
# reaches: 0.97
# Unusual: three tasks whose units differ by 1e6, weighted by learned log variances: the total loss goes through zero and far below
import os

import torch
from torch import nn

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)
UNITS = torch.tensor([1e-3, 1.0, 1e3])  # metres, volts, pascal


def sample(n):
    x = torch.randn(n, 8)
    a = torch.tanh(x[:, 0] + x[:, 1])
    b = x[:, 2] * x[:, 3] + x[:, 4]
    c = (x[:, 0] - x[:, 5]).abs() - x[:, 6]
    y = torch.stack([a, b, c], 1) + 0.05 * torch.randn(n, 3)
    return x, y * UNITS


class Net(nn.Module):
    def __init__(self, y):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(8, 96), nn.SiLU(), nn.Linear(96, 96), nn.SiLU())
        self.heads = nn.ModuleList(nn.Linear(96, 1) for _ in range(3))
        self.register_buffer("unit", y.std(0))
        self.log_var = nn.Parameter(torch.zeros(3))

    def forward(self, x):
        h = self.trunk(x)
        return torch.cat([head(h) for head in self.heads], 1) * self.unit

    def loss(self, x, y):
        err = ((self(x) - y) / self.unit).square().mean(0)
        return (0.5 * err * torch.exp(-self.log_var) + 0.5 * self.log_var).sum()


x, y = sample(4000)
xt, yt = sample(1000)
net = Net(y)
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 1000)
for step in range(1000):
    i = torch.randint(0, len(x), (128,))
    loss = net.loss(x[i], y[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if step % 100 == 0:
        print(f"step {step} loss {loss.item():+.4f} log variances {[round(v, 2) for v in net.log_var.tolist()]}")
with torch.no_grad():
    r2 = 1 - (net(xt) - yt).square().mean(0) / yt.var(0)
print("r2 per task", r2.tolist())
print(f"result: mean_r2 {r2.mean().item():.4f}")
