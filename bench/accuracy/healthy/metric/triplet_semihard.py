# fault: none
# family: metric
# split: held
import os
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))

CLASSES, DIM = 12, 30
proto = torch.randn(CLASSES, DIM)
W = torch.randn(DIM, DIM) / DIM ** 0.5


def sample(per_class):
    y = torch.arange(CLASSES).repeat_interleave(per_class)
    x = torch.tanh((proto[y] + 0.9 * torch.randn(len(y), DIM)) @ W)
    return x, y


def dist_matrix(e):
    d2 = (e[:, None] - e[None]).pow(2).sum(-1)
    return torch.sqrt(d2 + 1e-8)


def hard_triplet(e, y, margin=0.4):
    d = dist_matrix(e)
    same = y[:, None] == y[None]
    hardest_pos = d.masked_fill(~same, 0.0).max(1).values
    hardest_neg = d.masked_fill(same, float("inf")).min(1).values
    return F.relu(hardest_pos - hardest_neg + margin).mean()


net = nn.Sequential(nn.Linear(DIM, 96), nn.ReLU(), nn.Linear(96, 12))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
xq, yq = sample(20)

for it in range(401):
    x, y = sample(4)
    e = F.normalize(net(x), dim=1)
    loss = hard_triplet(e, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 50 == 0:
        with torch.no_grad():
            e = F.normalize(net(xq), dim=1)
            d = torch.cdist(e, e).fill_diagonal_(9.0)
            print(it, f"loss {loss.item():.4f}", "precision@1", (yq[d.argmin(1)] == yq).float().mean().item())
