# fault: none
# family: adaptation
# split: held
# set: badger, unseen
# metric: accuracy higher
# baseline: 0.35
# reaches: 0.8
# Unusual: a gradient-reversal layer with a ramped weight; the domain loss is meant to go back UP to log 2 = 0.69, so the sum of losses hardly falls.
import math
import os

import torch
import torch.nn.functional as F
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(int(os.environ.get("SEED", 0)))
FEAT, CELLS = 24, 3


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.weight = weight
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return -ctx.weight * g, None


means = torch.randn(CELLS, FEAT)
means = 2.6 * means / means.norm(dim=1, keepdim=True)
# The new microscope tints every picture: a shift that points from class 0 to class 1, plus other stray light.
tint = 1.0 * (means[1] - means[0]) + 0.6 * torch.randn(FEAT)


def slides(n, microscope):
    y = torch.randint(CELLS, (n,))
    x = means[y] + 0.8 * torch.randn(n, FEAT)
    return (x + tint if microscope == "new" else x), y


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(FEAT, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU())
        self.cell = nn.Linear(32, CELLS)
        self.domain = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, x, weight=0.0):
        h = self.features(x)
        return self.cell(h), self.domain(Reverse.apply(h, weight)).squeeze(1)


def train(adapt, steps=700):
    net = Net()
    opt = torch.optim.Adam(net.parameters(), lr=1e-3, betas=(0.5, 0.999), weight_decay=1e-4)
    for step in range(1, steps + 1):
        lam = adapt * (2 / (1 + math.exp(-8 * step / steps)) - 1)
        i, j = torch.randint(len(old_x), (64,)), torch.randint(len(new_x), (64,))
        cell, dom = net(torch.cat([old_x[i], new_x[j]]), lam)
        cls = F.cross_entropy(cell[:64], old_y[i])
        who = F.binary_cross_entropy_with_logits(dom, torch.cat([torch.zeros(64), torch.ones(64)]))
        opt.zero_grad()
        (cls + who).backward()
        opt.step()
        if step % 50 == 0 or step == 20:
            print(f"step {step} lambda {lam:.2f} class {cls.item():.3f} domain {who.item():.3f} new microscope {accuracy(net, test_x, test_y):.3f}")
    return net


@torch.no_grad()
def accuracy(net, x, y):
    return (net(x)[0].argmax(1) == y).float().mean().item()


old_x, old_y = slides(1500, "old")
new_x, _ = slides(1500, "new")          # no labels for these
test_x, test_y = slides(1000, "new")
net = train(adapt=1.0)
print("majority:", round((test_y == old_y.bincount().argmax()).float().mean().item(), 3))
print(f"result: accuracy {accuracy(net, test_x, test_y):.4f}")
