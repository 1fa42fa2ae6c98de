# fault: none
# family: metric
# split: tune
# needs: sklearn
"""Additive angular margin; the loss starts far above log(10) because of the scale and the margin."""
import os
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import load_digits


class ArcFace(nn.Module):
    def __init__(self, dim, classes, s=16.0, m=0.3):
        super().__init__()
        self.weight = nn.Parameter(nn.init.xavier_normal_(torch.empty(classes, dim)))
        self.s, self.m = s, m

    def cosine(self, e):
        return F.linear(F.normalize(e), F.normalize(self.weight))

    def forward(self, e, y):
        cos = self.cosine(e).clamp(-1 + 1e-6, 1 - 1e-6)
        with_margin = torch.cos(torch.acos(cos) + self.m)
        one_hot = F.one_hot(y, cos.shape[1]).bool()
        return F.cross_entropy(self.s * torch.where(one_hot, with_margin, cos), y)


torch.manual_seed(int(os.environ.get("SEED", 0)))
d = load_digits()
x, y = torch.tensor(d.data, dtype=torch.float32) / 8 - 1, torch.tensor(d.target)
p = torch.randperm(len(x))
tr, te = p[:1400], p[1400:]
net = nn.Sequential(nn.Linear(64, 64), nn.PReLU(), nn.Linear(64, 16))
head = ArcFace(16, 10)
opt = torch.optim.SGD([{"params": net.parameters()}, {"params": head.parameters(), "lr": 0.1}], lr=0.03, momentum=0.9)
for epoch in range(10):
    net.train()
    s = 0
    for a, b in DataLoader(TensorDataset(x[tr], y[tr]), batch_size=50, shuffle=True):
        opt.zero_grad()
        loss = head(net(a), b)
        loss.backward()
        opt.step()
        s += loss.item() / 28
    net.eval()
    with torch.no_grad():
        acc = (head.cosine(net(x[te])).argmax(1) == y[te]).float().mean()
    print(f"epoch {epoch} loss {s:.3f} acc {acc:.3f}")
