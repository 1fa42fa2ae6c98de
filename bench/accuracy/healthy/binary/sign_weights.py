# fault: none
# family: binary
# split: tune
# needs: sklearn
"""Binary weights and activations with straight-through gradients."""
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset


class Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x >= 0, 1.0, -1.0)

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * (x.abs() <= 1).float()


class BinaryLinear(nn.Linear):
    def forward(self, x):
        scale = self.weight.abs().mean(1, keepdim=True).detach()
        return F.linear(x, Sign.apply(self.weight) * scale, self.bias)


class BinaryNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1, self.b1 = nn.Linear(64, 128), nn.BatchNorm1d(128)
        self.l2, self.b2 = BinaryLinear(128, 128), nn.BatchNorm1d(128)
        self.l3 = nn.Linear(128, 10)

    def forward(self, x):
        h = Sign.apply(self.b1(self.l1(x)))
        h = F.hardtanh(self.b2(self.l2(h)))
        return self.l3(h)


torch.manual_seed(int(os.environ.get("SEED", 0)))
d = load_digits()
x, y = torch.tensor(d.data, dtype=torch.float32) / 8 - 1, torch.tensor(d.target)
p = torch.randperm(len(x))
x, y = x[p], y[p]
net = BinaryNet()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(10):
    net.train()
    tot = 0.0
    for a, b in DataLoader(TensorDataset(x[:1400], y[:1400]), batch_size=50, shuffle=True):
        loss = F.cross_entropy(net(a), b)
        opt.zero_grad()
        loss.backward()
        opt.step()
        with torch.no_grad():
            net.l2.weight.clamp_(-1, 1)
        tot += loss.item()
    net.eval()
    with torch.no_grad():
        out = net(x[1400:])
    print(f"epoch {epoch} loss {tot / 28:.4f} valid {F.cross_entropy(out, y[1400:]):.4f} acc {(out.argmax(1) == y[1400:]).float().mean():.3f}")
