# fault: none
# family: implicit
# split: held
# set: badger, unseen
# metric: psnr higher
# baseline: 14.0
# reaches: 28.0
# Unusual: sine activations with frequency 25 and the odd uniform initial weights that belong to them; 90 whole-batch steps; PSNR is taken only on pixels never shown.
import argparse
import math
import os

import torch
from torch import nn

torch.set_num_threads(1)
cli = argparse.ArgumentParser(description="coordinate network for a terrain map with 40% of its pixels missing")
cli.add_argument("--size", type=int, default=56)
cli.add_argument("--w0", type=float, default=25.0)
cli.add_argument("--steps", type=int, default=90)
cli.add_argument("--seed", type=int, default=int(os.environ.get("SEED", 0)))
opt_ = cli.parse_args()
torch.manual_seed(opt_.seed)


class Sine(nn.Module):
    def __init__(self, i, o, w0, first=False):
        super().__init__()
        self.w0, self.lin = w0, nn.Linear(i, o)
        bound = 1 / i if first else math.sqrt(6 / i) / w0
        nn.init.uniform_(self.lin.weight, -bound, bound)

    def forward(self, x):
        return torch.sin(self.w0 * self.lin(x))


def terrain(n):
    u = torch.linspace(-1, 1, n)
    g = torch.stack(torch.meshgrid(u, u, indexing="ij"), -1).reshape(-1, 2)
    h = torch.zeros(n * n)
    for _ in range(40):
        f = torch.randn(2) * 8
        h += torch.sin(g @ f + 6.28 * torch.rand(1)) / (1 + f.norm())
    h = (h - h.min()) / (h.max() - h.min())
    return g, h + 0.15 * (h > 0.6)                # a plateau with a sharp rim


xy, height = terrain(opt_.size)
height = (height - height.min()) / (height.max() - height.min())
shown = torch.rand(len(xy)) < 0.6
net = nn.Sequential(Sine(2, 96, opt_.w0, first=True), Sine(96, 96, opt_.w0), Sine(96, 96, opt_.w0), nn.Linear(96, 1))
with torch.no_grad():
    net[-1].weight.uniform_(-math.sqrt(6 / 96) / opt_.w0, math.sqrt(6 / 96) / opt_.w0)
adam = torch.optim.Adam(net.parameters(), lr=1e-3)
decay = torch.optim.lr_scheduler.ExponentialLR(adam, 0.99)
target = 2 * height - 1


def psnr(pred, true):
    return -10 * math.log10((pred - true).square().mean().item())


for step in range(1, opt_.steps + 1):
    loss = (net(xy[shown]).squeeze(1) - target[shown]).square().mean()
    adam.zero_grad()
    loss.backward()
    adam.step()
    decay.step()
    if step % 20 == 0:
        with torch.no_grad():
            print(f"{step:4d} mse {loss.item():.5f} hidden psnr {psnr((net(xy[~shown]).squeeze(1) + 1) / 2, height[~shown]):.2f}")

with torch.no_grad():
    p = (net(xy[~shown]).squeeze(1) + 1) / 2
print("mean height:", round(psnr(height[shown].mean(), height[~shown]), 2))
print(f"result: psnr {psnr(p, height[~shown]):.3f}")
