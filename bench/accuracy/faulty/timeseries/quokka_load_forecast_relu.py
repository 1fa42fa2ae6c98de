# fault: output-range
# cause_class: output-activation, data-scaling
# family: timeseries
# split: tune
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", "0")))


def mlp(sizes, act=nn.ReLU):
    """Small helper that all our models use."""
    layers = []
    for a, b in zip(sizes[:-1], sizes[1:]):
        layers += [nn.Linear(a, b), act()]
    return nn.Sequential(*layers)


def series(n=2400):
    t = torch.arange(n, dtype=torch.float32)
    s = torch.sin(2 * torch.pi * t / 24) + 0.5 * torch.sin(2 * torch.pi * t / 168) + 0.15 * torch.randn(n)
    return (s - s.mean()) / s.std()


def windows(s, back=48, ahead=6):
    w = s.unfold(0, back + ahead, 1)
    return w[:, :back], w[:, back:]


s = series()
x, y = windows(s)
cut = 1900
train = DataLoader(TensorDataset(x[:cut], y[:cut]), batch_size=64, shuffle=True)
xv, yv = x[cut + 54:], y[cut + 54:]
net = mlp([48, 96, 64, 6])
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 15)
for epoch in range(15):
    net.train()
    tot = 0.0
    for xb, yb in train:
        loss = nn.functional.mse_loss(net(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    sched.step()
    net.eval()
    with torch.no_grad():
        v = nn.functional.mse_loss(net(xv), yv)
    print(f"epoch {epoch} train {tot / len(train):.4f} val {v:.4f}")
