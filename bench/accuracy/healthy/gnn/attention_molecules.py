# fault: none
# family: gnn
# split: tune
"""Graph-level regression on random small graphs (number of triangles) with hand-written attention layers."""
import os
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))
NODES = 9


def graphs(n):
    p = 0.2 + 0.4 * torch.rand(n, 1, 1)
    a = (torch.rand(n, NODES, NODES) < p).float().triu(1)
    a = a + a.transpose(1, 2)
    tri = torch.einsum("bij,bjk,bki->b", a, a, a) / 6
    return a, tri.log1p()


class GATLayer(nn.Module):
    def __init__(self, d, heads=4):
        super().__init__()
        self.h = heads
        self.qk, self.v = nn.Linear(d, 2 * d), nn.Linear(d, d)
        self.ff = nn.Sequential(nn.LayerNorm(d), nn.Linear(d, 2 * d), nn.ReLU(), nn.Linear(2 * d, d))

    def forward(self, x, a):
        b, n, d = x.shape
        q, k = self.qk(x).view(b, n, 2, self.h, -1).permute(2, 0, 3, 1, 4)
        score = (q @ k.transpose(-1, -2)) / (d / self.h) ** 0.5
        score = score.masked_fill((a + torch.eye(n))[:, None] == 0, -1e9)
        v = self.v(x).view(b, n, self.h, -1).transpose(1, 2)
        m = (score.softmax(-1) @ v).transpose(1, 2).reshape(b, n, d)
        x = x + m
        return x + self.ff(x)


class Net(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.inp = nn.Linear(3, d)
        self.layers = nn.ModuleList([GATLayer(d), GATLayer(d)])
        self.out = nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, 1))

    def forward(self, a):
        deg = a.sum(2) / 4
        x = self.inp(torch.stack([deg, deg ** 2, torch.ones_like(deg)], 2))
        for l in self.layers:
            x = l(x, a)
        return self.out(x.mean(1)).squeeze(1)


a, y = graphs(1500)
mean, std = y[:1200].mean(), y[:1200].std()
y = (y - mean) / std
net = Net()
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
for epoch in range(6):
    net.train()
    s = 0
    for g, t in DataLoader(TensorDataset(a[:1200], y[:1200]), batch_size=40, shuffle=True):
        opt.zero_grad()
        loss = F.mse_loss(net(g), t)
        loss.backward()
        opt.step()
        s += loss.item() / 30
    net.eval()
    with torch.no_grad():
        print(f"epoch {epoch} train {s:.4f} val {F.mse_loss(net(a[1200:]), y[1200:]):.4f}")
