# fault: none
# family: survival
# split: tune
# Cox partial likelihood over risk sets: the outputs have no scale of their own, most of the cases are censored.
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))

n = 1200
x = torch.randn(n, 6)
hazard = torch.exp(x[:, 0] - 0.7 * x[:, 1] + 0.6 * x[:, 2] ** 2)
time = -torch.log(torch.rand(n)) / hazard
censor = -torch.log(torch.rand(n)) / hazard.mean() * 1.5
event = (time <= censor).float()
observed = torch.minimum(time, censor)
print("events", event.mean().item())


def cox_loss(risk, t, e):
    order = t.argsort(descending=True)
    r, e = risk[order], e[order]
    return -((r - torch.logcumsumexp(r, 0)) * e).sum() / e.sum()


model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1, bias=False))
opt = torch.optim.Adam(model.parameters(), lr=3e-3, weight_decay=1e-3)
hist = []
for step in range(250):
    i = torch.randint(0, n, (200,))
    loss = cox_loss(model(x[i]).squeeze(1), observed[i], event[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
    hist.append(loss.item())
print(f"loss first {sum(hist[:5]) / 5:.4f} last {sum(hist[-20:]) / 20:.4f}")
