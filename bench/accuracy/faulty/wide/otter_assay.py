# fault: overfit
# cause_class: overfit, regularisation, epochs
# family: wide
# split: held
import os
from types import SimpleNamespace
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
hp = SimpleNamespace(genes=120, hidden=192, patients=60, val=200, epochs=150, batch=20, lr=1e-3)
signal = torch.zeros(hp.genes)
signal[:8] = 0.6


def assay(n):
    x = torch.randn(n, hp.genes)
    p = torch.sigmoid(x @ signal)
    return x, torch.bernoulli(p).long()


class ExpressionNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp = nn.Linear(hp.genes, hp.hidden)
        self.mid = nn.Linear(hp.hidden, hp.hidden)
        self.out = nn.Linear(hp.hidden, 2)

    def forward(self, x):
        h = F.gelu(self.inp(x))
        h = h + F.gelu(self.mid(h))
        return self.out(h)


x, y = assay(hp.patients)
xv, yv = assay(hp.val)
net = ExpressionNet()
opt = torch.optim.Adam(net.parameters(), lr=hp.lr)
history = []
for epoch in range(hp.epochs):
    net.train()
    tl = 0.0
    for i in torch.randperm(hp.patients).split(hp.batch):
        loss = F.cross_entropy(net(x[i]), y[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tl += loss.item() * len(i) / hp.patients
    net.eval()
    with torch.no_grad():
        vl = F.cross_entropy(net(xv), yv).item()
    history.append((tl, vl))
    if epoch % 10 == 0:
        print(f"epoch {epoch:3d} train {tl:.4f} val {vl:.4f}")
