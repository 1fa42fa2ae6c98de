# fault: none
# family: physics
# split: tune
# A coordinate net with sine activations: inputs and targets are the same at every step, first-layer weights are scaled by 30.
import math
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


class Sine(nn.Module):
    def __init__(self, i, o, first=False, w0=30.0):
        super().__init__()
        self.w0 = w0
        self.linear = nn.Linear(i, o)
        bound = 1 / i if first else math.sqrt(6 / i) / w0
        nn.init.uniform_(self.linear.weight, -bound, bound)

    def forward(self, x):
        return torch.sin(self.w0 * self.linear(x))


side = 24
g = torch.linspace(-1, 1, side)
coords = torch.stack(torch.meshgrid(g, g, indexing="ij"), -1).view(-1, 2)
picture = (torch.sin(8 * coords[:, :1]) * torch.cos(5 * coords[:, 1:]) + (coords.norm(dim=1, keepdim=True) < 0.5)) / 2
net = nn.Sequential(Sine(2, 48, True), Sine(48, 48), nn.Linear(48, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
hist = []
for step in range(200):
    loss = ((net(coords) - picture) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    hist.append(loss.item())
print(f"loss first {hist[0]:.5f} last {hist[-1]:.5f}")
