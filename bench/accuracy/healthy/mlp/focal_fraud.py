# fault: none
# family: mlp
# split: tune
"""Three per cent positives: weighted sampler, focal loss with tiny values, ranking quality as measure."""
import argparse
import os
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

ap = argparse.ArgumentParser()
ap.add_argument("--gamma", type=float, default=2.0)
ap.add_argument("--lr", type=float, default=2e-3)
ap.add_argument("--epochs", type=int, default=10)
opt_ = ap.parse_args([])
torch.manual_seed(int(os.environ.get("SEED", 0)))


def transactions(n):
    x = torch.randn(n, 6)
    risk = x[:, 0] * x[:, 1] + 0.8 * x[:, 2] - 0.5 * x[:, 3].abs()
    return x, (risk + 0.2 * torch.randn(n) > 1.9).float()


def focal(logits, y, gamma):
    ce = nn.functional.binary_cross_entropy_with_logits(logits, y, reduction="none")
    pt = torch.exp(-ce)
    return ((1 - pt) ** gamma * ce).mean()


def auc(score, y):
    order = score.argsort()
    rank = torch.empty_like(score)
    rank[order] = torch.arange(1, len(score) + 1, dtype=score.dtype)
    p, n = y.sum(), (1 - y).sum()
    return ((rank[y == 1].sum() - p * (p + 1) / 2) / (p * n)).item()


x, y = transactions(4000)
xv, yv = transactions(2000)
weights = torch.where(y == 1, 0.25 / y.sum(), 0.75 / (1 - y).sum())
loader = DataLoader(TensorDataset(x, y), batch_size=64, sampler=WeightedRandomSampler(weights.tolist(), 2560))
net = nn.Sequential(nn.Linear(6, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=opt_.lr)
print("positives", round(y.mean().item(), 4))
for epoch in range(opt_.epochs):
    net.train()
    s = 0.0
    for a, b in loader:
        optimizer.zero_grad()
        loss = focal(net(a).squeeze(1), b, opt_.gamma)
        loss.backward()
        optimizer.step()
        s += loss.item() / len(loader)
    net.eval()
    with torch.no_grad():
        print(f"epoch {epoch} focal {s:.4f} AUC {auc(net(xv).squeeze(1), yv):.4f}")
