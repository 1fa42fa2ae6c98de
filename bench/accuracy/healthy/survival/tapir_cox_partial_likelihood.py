# fault: none
# family: survival
# split: held
"""DeepSurv: Cox partial likelihood over large risk sets, Efron ignored as times are continuous."""
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


def cohort(n):
    x = torch.randn(n, 8)
    risk = 1.2 * x[:, 0] - x[:, 1] + 0.8 * (x[:, 2] ** 2 - 1)
    t = -torch.log(torch.rand(n)) * torch.exp(-risk)
    c = -torch.log(torch.rand(n)) * 2.5
    return x, torch.minimum(t, c), (t <= c)


def cox_loss(score, time, event):
    order = time.argsort(descending=True)
    s, e = score[order], event[order]
    return -(s - torch.logcumsumexp(s, 0))[e].mean()


def c_index(score, time, event):
    ok = (time[:, None] < time[None]) & event[:, None]
    return ((score[:, None] > score[None]) & ok).sum().item() / ok.sum().item()


net = nn.Sequential(nn.Linear(8, 32), nn.SELU(), nn.Dropout(0.1), nn.Linear(32, 32), nn.SELU(), nn.Linear(32, 1, bias=False))
opt = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=1e-2)
x, t, e = cohort(2400)
vx, vt, ve = cohort(600)
for epoch in range(30):
    net.train()
    tot = 0.0
    for idx in torch.randperm(len(x)).split(300):
        loss = cox_loss(net(x[idx])[:, 0], t[idx], e[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() / 8
    if epoch % 5 == 4:
        net.eval()
        with torch.no_grad():
            s = net(vx)[:, 0]
        print(f"epoch {epoch + 1} partial likelihood {tot:.4f} val c-index {c_index(s, vt, ve):.3f}")
