# fault: none
# family: quantised
# split: tune
import os, torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(int(os.environ.get("SEED", 0)))

class Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        ctx.save_for_backward(w)
        return torch.sign(w)
    @staticmethod
    def backward(ctx, g):
        (w,) = ctx.saved_tensors
        return g * (w.abs() <= 1)

class BinLinear(nn.Linear):
    def forward(self, x):
        return F.linear(x, Sign.apply(self.weight), self.bias)

class Round(nn.Module):
    def forward(self, z):
        return z + (torch.round(z * 4) / 4 - z).detach()

net = nn.Sequential(BinLinear(20, 64), nn.BatchNorm1d(64), nn.Hardtanh(), Round(), BinLinear(64, 64), nn.BatchNorm1d(64), nn.Hardtanh(), nn.Linear(64, 3))
w = torch.randn(20, 3)
opt = torch.optim.Adam(net.parameters(), 2e-3)
for step in range(500):
    x = torch.randn(64, 20)
    y = (x @ w).argmax(1)
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
    if step % 100 == 99: print(step, loss.item())
