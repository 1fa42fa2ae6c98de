# fault: loss-misused
# cause_class: loss
# family: survival
# split: tune
# set: tapir, unseen
"""Discrete-time survival (Nnet-survival style): one conditional hazard per interval."""
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

SEED = int(os.environ.get("SEED", "0"))
torch.manual_seed(SEED)
N_BINS = 8


def simulate(n):
    x = torch.randn(n, 6)
    risk = 0.8 * x[:, 0] - 0.6 * x[:, 1] + 0.5 * x[:, 2] * x[:, 3]
    t = -torch.log(torch.rand(n)) / (0.25 * torch.exp(risk))
    c = torch.rand(n) * 10
    event = (t <= c).float()
    time = torch.minimum(t, c).clamp(max=N_BINS - 0.01)
    return x, time.long(), event


def surv_targets(bins, event):
    """[survived each interval | failed in interval], both (N, N_BINS)."""
    grid = torch.arange(N_BINS)
    survived = (grid[None] < bins[:, None]).float()
    failed = F.one_hot(bins, N_BINS).float() * event[:, None]
    return survived, failed


class NnetSurvLoss(nn.Module):
    eps = 1e-7

    def forward(self, hazard, bins, event):
        survived, failed = surv_targets(bins, event)
        h = hazard.clamp(self.eps, 1 - self.eps)
        ll_survived = survived * torch.log1p(-h)
        ll_failed = failed * torch.log(h)
        return -(ll_survived - ll_failed).sum(1).mean()


class HazardNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, N_BINS))

    def forward(self, x):
        return torch.sigmoid(self.net(x))


def concordance(score, bins, event):
    later = bins[None, :] > bins[:, None]
    usable = later & (event[:, None] > 0)
    return ((score[:, None] > score[None, :]) & usable).sum().item() / usable.sum().item()


train, test = simulate(2400), simulate(500)
model, crit = HazardNet(), NnetSurvLoss()
opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-3)
for epoch in range(12):
    model.train()
    run = 0.0
    for x, b, e in DataLoader(TensorDataset(*train), batch_size=64, shuffle=True):
        loss = crit(model(x), b, e)
        opt.zero_grad()
        loss.backward()
        opt.step()
        run += loss.item() * len(x)
    model.eval()
    with torch.no_grad():
        hz = model(test[0])
        expected = torch.cumprod(1 - hz, 1).sum(1)
    print(f"{epoch:2d} loss {run / 2400:.4f} c-index {concordance(-expected, test[1], test[2]):.3f}")
