# fault: none
# family: multitask
# split: held
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Doubt(nn.Module):
    """Each task gets a learnt log-variance: exp(-s) * loss + s."""

    def __init__(self, tasks):
        super().__init__()
        self.s = nn.Parameter(torch.zeros(len(tasks)))
        self.tasks = tasks

    def forward(self, losses):
        return sum(torch.exp(-self.s[k]) * losses[t] + self.s[k] for k, t in enumerate(self.tasks))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
        self.heads = nn.ModuleDict({"clean": nn.Linear(64, 1), "noisy": nn.Linear(64, 1), "exact": nn.Linear(64, 1)})

    def forward(self, x):
        h = self.trunk(x)
        return {k: m(h).squeeze(1) for k, m in self.heads.items()}


w = torch.randn(3, 10) / 10 ** 0.5


def sample(n):
    x = torch.randn(n, 10)
    base = torch.sin(x @ w.T * 1.5)
    return x, {"clean": base[:, 0] + 0.1 * torch.randn(n), "noisy": base[:, 1] + 1.0 * torch.randn(n), "exact": base[:, 2]}


net = Net()
weigh = Doubt(["clean", "noisy", "exact"])
opt = torch.optim.Adam([{"params": net.parameters()}, {"params": weigh.parameters(), "lr": 5e-3}], lr=1.5e-3)
test_x, test_y = sample(1000)
for step in range(901):
    x, y = sample(64)
    out = net(x)
    losses = {k: (out[k] - y[k]).pow(2).mean() for k in out}
    loss = weigh(losses)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 0:
        with torch.no_grad():
            t = {k: round((v - test_y[k]).pow(2).mean().item(), 4) for k, v in net(test_x).items()}
        print(f"{step:3d} total {loss.item():+.3f} test {t} log-variances {[round(v, 2) for v in weigh.s.tolist()]}")
