# fault: none
# family: cnn
# split: held
"""Convolutions with signs as weights; gradients pass straight through."""
import os
import torch
import torch.nn as nn
import torch.nn.functional as F


class Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        ctx.save_for_backward(w)
        return torch.sign(w) * w.abs().mean()

    @staticmethod
    def backward(ctx, g):
        (w,) = ctx.saved_tensors
        return g * (w.abs() <= 1).float()


class BinConv(nn.Conv2d):
    def forward(self, x):
        return F.conv2d(x, Sign.apply(self.weight), self.bias, self.stride, self.padding)


torch.manual_seed(int(os.environ.get("SEED", 0)))
proto = torch.randn(5, 1, 10, 10)


def draw(n):
    y = torch.randint(5, (n,))
    return proto[y] + 0.8 * torch.randn(n, 1, 10, 10), y


net = nn.Sequential(nn.Conv2d(1, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), BinConv(16, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.Flatten(), nn.Linear(576, 5))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
xv, yv = draw(400)
for step in range(1, 301):
    net.train()
    x, y = draw(32)
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 30 == 0:
        net.eval()
        with torch.no_grad():
            o = net(xv)
        print(f"step {step} train {loss.item():.4f} val {F.cross_entropy(o, yv).item():.4f} acc {(o.argmax(1) == yv).float().mean().item():.3f}")
