# fault: none
# family: rl
# split: tune
"""Random network distillation in one module: the error of a predictor of a fixed random network tells how new a state is."""
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


def tower():
    return nn.Sequential(nn.Linear(8, 64), nn.LayerNorm(64), nn.ReLU(), nn.Linear(64, 8))


class Novelty(nn.Module):
    def __init__(self):
        super().__init__()
        self.f, self.g = tower(), tower()
        for p in self.f.parameters():
            p.requires_grad = False
        self.last = nn.Linear(8, 8)

    def forward(self, s):
        goal = self.f(s)
        return (self.last(torch.relu(self.g(s))) - goal).square().mean(1)


net = Novelty()
opt = torch.optim.Adam([p for p in net.parameters() if p.requires_grad], lr=1e-3)
mix = torch.randn(3, 8)
for step in range(400):
    s = torch.tanh(torch.randn(64, 3) @ mix)
    loss = net(s).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 80 == 0:
        with torch.no_grad():
            print(step, round(loss.item(), 4), "elsewhere", round(net(3 * torch.randn(200, 8)).mean().item(), 4))
