# fault: none
# family: multitask
# split: tune
"""Two regressions and a classification, weighed by learned uncertainties (Kendall et al.)."""
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))


def make(n):
    x = torch.randn(n, 10)
    depth = torch.tanh(x[:, 0] + x[:, 1] * x[:, 2]) + 0.05 * torch.randn(n)
    normal = x[:, 3] - 0.5 * x[:, 4].abs() + 0.05 * torch.randn(n)
    cls = ((x[:, 5] + x[:, 6]) > 0).long() + (x[:, 7] > 0.5).long()
    return x, depth, normal / normal.std(), cls


class Shared(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(10, 64), nn.ELU(), nn.Linear(64, 64), nn.ELU())
        self.heads = nn.ModuleDict({"depth": nn.Linear(64, 1), "normal": nn.Linear(64, 1), "cls": nn.Linear(64, 3)})
        self.log_var = nn.ParameterDict({k: nn.Parameter(torch.zeros(())) for k in self.heads})

    def forward(self, x):
        h = self.trunk(x)
        return {k: f(h) for k, f in self.heads.items()}

    def losses(self, x, d, n, c):
        o = self(x)
        return {"depth": F.mse_loss(o["depth"].squeeze(1), d), "normal": F.mse_loss(o["normal"].squeeze(1), n),
                "cls": F.cross_entropy(o["cls"], c)}

    def weigh(self, parts):
        # goes below zero once the tasks are well fitted
        return sum(torch.exp(-self.log_var[k]) * v + 0.5 * self.log_var[k] for k, v in parts.items())


train, test = make(2000), make(500)
net = Shared()
opt = torch.optim.Adam([{"params": net.trunk.parameters()}, {"params": net.heads.parameters()},
                        {"params": net.log_var.parameters(), "lr": 1e-2}], lr=2e-3)
for epoch in range(12):
    net.train()
    for idx in torch.randperm(2000).split(50):
        total = net.weigh(net.losses(*(t[idx] for t in train)))
        opt.zero_grad()
        total.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        parts = net.losses(*test)
        print(epoch, f"total {total.item():.3f}", {k: round(v.item(), 4) for k, v in parts.items()},
              {k: round(v.item(), 2) for k, v in net.log_var.items()})
