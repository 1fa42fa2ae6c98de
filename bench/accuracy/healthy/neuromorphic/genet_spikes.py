# fault: none
# family: neuromorphic
# split: held
"""Leaky integrate-and-fire layer with a surrogate derivative; event-camera-like input, 3 motions."""
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Spike(torch.autograd.Function):
    @staticmethod
    def forward(ctx, v):
        ctx.save_for_backward(v)
        return (v > 0).float()

    @staticmethod
    def backward(ctx, g):
        (v,) = ctx.saved_tensors
        return g / (1 + 5 * v.abs()) ** 2


def events(n, T=12, P=20):
    y = torch.randint(0, 3, (n,))
    x = (torch.rand(n, T, P) < 0.05).float()
    start = torch.randint(0, P, (n,))
    for t in range(T):
        pos = (start + (y - 1) * t) % P
        x[torch.arange(n), t, pos] = 1.0
    return x, y


class SNN(nn.Module):
    def __init__(self, p=20, h=64):
        super().__init__()
        self.inp, self.rec, self.out = nn.Linear(p, h), nn.Linear(h, h, bias=False), nn.Linear(h, 3)

    def forward(self, x):
        v = s = torch.zeros(len(x), 64)
        count = 0
        for t in range(x.shape[1]):
            v = 0.8 * v * (1 - s.detach()) + 2.0 * self.inp(x[:, t]) + self.rec(s)
            s = Spike.apply(v - 0.6)
            count = count + s
        return self.out(count)


net = SNN()
opt = torch.optim.Adamax(net.parameters(), lr=8e-3)
xv, yv = events(400)
for i in range(241):
    x, y = events(64)
    z = net(x)
    loss = F.cross_entropy(z, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if i % 48 == 0:
        with torch.no_grad():
            print(f"{i:4d} loss {loss.item():.3f} val acc {(net(xv).argmax(1) == yv).float().mean():.3f}")
