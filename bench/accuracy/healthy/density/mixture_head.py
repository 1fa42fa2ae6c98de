# fault: none
# family: density
# split: held
"""Mixture density network: the inverse problem has several answers for one input."""
import math
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
t = torch.rand(4000, 1) * 2 - 1
x = t + 0.3 * torch.sin(2 * math.pi * t) + 0.05 * torch.randn(4000, 1)     # x is known, t is asked
K = 5
net = nn.Sequential(nn.Linear(1, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 3 * K))


def nll(x, t):
    logit, mean, s = net(x).chunk(3, 1)
    s = s.clamp(-5, 3)
    logp = -0.5 * ((t - mean) / s.exp()) ** 2 - s - 0.5 * math.log(2 * math.pi)
    return -torch.logsumexp(torch.log_softmax(logit, 1) + logp, 1).mean()


opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(14):
    total = 0.0
    for b in torch.randperm(3400).split(68):
        loss = nll(x[b], t[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() / 50
    with torch.no_grad():
        print(f"epoch {epoch} train nll {total:.4f} val nll {nll(x[3400:], t[3400:]).item():.4f}")
