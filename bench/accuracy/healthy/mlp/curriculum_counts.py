# fault: none
# family: mlp
# split: tune
"""Curriculum: easy (well separated) samples first, then harder ones, so that the training loss climbs at each stage."""
import os
import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


def samples(n):
    x = torch.rand(n, 2) * 2 - 1
    margin = torch.sin(3 * x[:, 0]) * 0.6 - x[:, 1]
    y = (margin + 0.05 * torch.randn(n) > 0).float()
    return x, y, margin.abs()


x, y, ease = samples(2000)
xv, yv, _ = samples(500)
order = ease.argsort(descending=True)
net = nn.Sequential(nn.Linear(2, 32), nn.ELU(), nn.Linear(32, 32), nn.ELU(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
bce = nn.BCEWithLogitsLoss()
for stage, fraction in enumerate((0.4, 0.7, 1.0)):
    pool = order[:int(fraction * len(x))]
    for epoch in range(6):
        net.train()
        s, n = 0.0, 0
        for idx in pool[torch.randperm(len(pool))].split(50):
            opt.zero_grad()
            loss = bce(net(x[idx]).squeeze(1), y[idx])
            loss.backward()
            opt.step()
            s, n = s + loss.item(), n + 1
        if epoch % 2:
            net.eval()
            with torch.no_grad():
                acc = ((net(xv).squeeze(1) > 0) == yv.bool()).float().mean()
            print(f"stage {stage} epoch {epoch} loss {s / n:.4f} acc {acc:.3f}")
