# fault: none
# family: ranking
# split: tune
# Learning to rank: pairs within lists, the loss starts at log 2; only differences of the scores matter.
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))

w = torch.randn(8)


def queries(n, docs=10):
    x = torch.randn(n, docs, 8)
    grade = (x @ w + 0.8 * torch.randn(n, docs)).argsort(1).argsort(1) // 4
    return x, grade


def ranknet(s, g):
    ds = s.unsqueeze(2) - s.unsqueeze(1)
    better = (g.unsqueeze(2) > g.unsqueeze(1)).float()
    return (F.softplus(-ds) * better).sum() / better.sum()


scorer = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(scorer.parameters(), lr=2e-3)
hist = []
for step in range(250):
    x, g = queries(16)
    loss = ranknet(scorer(x).squeeze(-1), g)
    opt.zero_grad()
    loss.backward()
    opt.step()
    hist.append(loss.item())
print(f"loss first {hist[0]:.4f} last {hist[-1]:.4f}")
