# fault: none
# family: moe
# split: tune
"""Top-1 mixture of experts with a load-balancing term; an expert sees only a part of each batch."""
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
E, DIM = 4, 8


def piecewise(n):
    x = torch.randn(n, DIM)
    region = (x[:, 0] > 0).long() * 2 + (x[:, 1] > 0).long()
    y = (x[:, None, 2:] * MAPS[region]).sum(-1)
    return x, torch.tanh(y)


MAPS = torch.randn(4, 3, DIM - 2) / 2


class MoE(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(DIM, E)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(DIM, 32), nn.ReLU(), nn.Linear(32, 3)) for _ in range(E))

    def forward(self, x):
        p = self.gate(x).softmax(1)
        w, k = p.max(1)
        out = torch.zeros(len(x), 3)
        for e, expert in enumerate(self.experts):
            rows = (k == e).nonzero().squeeze(1)
            if len(rows):
                out = out.index_add(0, rows, w[rows, None] * expert(x[rows]))
        share = F.one_hot(k, E).float().mean(0)
        return out, E * (share * p.mean(0)).sum(), share


x, y = piecewise(3000)
xv, yv = piecewise(500)
moe = MoE()
opt = torch.optim.AdamW(moe.parameters(), lr=3e-3)
for epoch in range(14):
    moe.train()
    s = 0
    for idx in torch.randperm(3000).split(100):
        out, balance, _ = moe(x[idx])
        loss = F.mse_loss(out, y[idx]) + 0.01 * balance
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item() / 30
    moe.eval()
    with torch.no_grad():
        out, _, share = moe(xv)
    if epoch % 2:
        print(f"epoch {epoch} train {s:.4f} val mse {F.mse_loss(out, yv):.4f} shares {[round(v, 2) for v in share.tolist()]}")
