# fault: none
# family: sets
# split: tune
import os
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))
phi = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU())
rho = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 4))


class Set(nn.Module):
    def __init__(self):
        super().__init__()
        self.phi, self.rho = phi, rho

    def forward(self, x):
        return self.rho(self.phi(x).mean(0))


net = Set()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for step in range(500):
    n = int(torch.randint(10, 40, (1,)))
    x = torch.randn(n, 4) * torch.rand(4) * 2 + torch.randn(4)
    loss = F.mse_loss(net(x), x.std(0))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 0:
        print(step, loss.item())
