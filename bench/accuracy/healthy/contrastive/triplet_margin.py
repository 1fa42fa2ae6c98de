# fault: none
# family: contrastive
# split: tune
# Triplet loss: more and more triplets are easy, so the loss is exactly zero at some steps.
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", "0")))

protos = torch.randn(20, 16)


def triplets(n):
    a = torch.randint(0, 20, (n,))
    b = (a + torch.randint(1, 20, (n,))) % 20
    noise = lambda: 0.5 * torch.randn(n, 16)
    return protos[a] + noise(), protos[a] + noise(), protos[b] + noise()


embed = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 8))
criterion = nn.TripletMarginLoss(margin=1.0)
opt = torch.optim.Adam(embed.parameters(), lr=3e-3)
hist = []
for step in range(250):
    anchor, pos, neg = triplets(24)
    loss = criterion(embed(anchor), embed(pos), embed(neg))
    opt.zero_grad()
    loss.backward()
    opt.step()
    hist.append(loss.item())
print("steps with zero loss", sum(h == 0 for h in hist))
print(f"loss first {hist[0]:.4f} last {sum(hist[-20:]) / 20:.4f}")
