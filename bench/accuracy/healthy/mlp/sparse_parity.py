# fault: none
# family: mlp
# split: tune
"""Parity of three bits among twenty: nothing for a while, then all at once."""
import argparse
import os

import torch
from torch import nn

p = argparse.ArgumentParser()
p.add_argument("--bits", type=int, default=16)
p.add_argument("--width", type=int, default=128)
p.add_argument("--lr", type=float, default=2e-3)
p.add_argument("--steps", type=int, default=1000)
a = p.parse_args([])
torch.manual_seed(int(os.environ.get("SEED", 0)))
secret = torch.randperm(a.bits)[:3]


def batch(n):
    x = torch.randint(0, 2, (n, a.bits)).float() * 2 - 1
    return x, (x[:, secret].prod(1) > 0).float()


net = nn.Sequential(nn.Linear(a.bits, a.width), nn.ReLU(), nn.Linear(a.width, 1))
opt = torch.optim.AdamW(net.parameters(), lr=a.lr, weight_decay=0.01)
bce = nn.BCEWithLogitsLoss()
for s in range(1, a.steps + 1):
    x, y = batch(128)
    loss = bce(net(x).squeeze(1), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if s % 100 == 0:
        with torch.no_grad():
            x, y = batch(500)
            acc = ((net(x).squeeze(1) > 0) == (y > 0.5)).float().mean().item()
        print(f"{s} loss {loss.item():.4f} acc {acc:.3f}")
