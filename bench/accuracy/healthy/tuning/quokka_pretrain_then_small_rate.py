# fault: none
# family: tuning
# split: tune
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))
base = torch.randn(16, 8)


def task(n, shift):
    x = torch.randn(n, 16)
    return x, (torch.tanh(x @ base) @ torch.roll(torch.eye(8), shift, 0)[:, :4]).argmax(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(16, 96), nn.ReLU(), nn.Linear(96, 48), nn.ReLU())
        self.head = nn.Linear(48, 4)

    def forward(self, x):
        return self.head(self.body(x))


def run(net, opt, data, steps, tag):
    x, y = data
    for s in range(steps):
        b = torch.randint(0, len(x) - 400, (50,))
        loss = F.cross_entropy(net(x[b]), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        if s % 100 == 99:
            with torch.no_grad():
                print(tag, s + 1, f"{loss.item():.4f}", "acc %.3f" % (net(x[-400:]).argmax(1) == y[-400:]).float().mean())


net = Net()
run(net, torch.optim.Adam(net.parameters(), lr=2e-3), task(4000, 0), 600, "first task")
net.head = nn.Linear(48, 4)
run(net, torch.optim.Adam([{"params": net.body.parameters(), "lr": 5e-4}, {"params": net.head.parameters(), "lr": 5e-3}]), task(1400, 4), 500, "second task")
