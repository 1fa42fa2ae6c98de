# fault: not-finite
# cause_class: non-finite, loss
# family: metric
# split: held
import argparse
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

p = argparse.ArgumentParser()
p.add_argument("--dim", type=int, default=16)
p.add_argument("--steps", type=int, default=400)
p.add_argument("--margin", type=float, default=0.3)
p.add_argument("--lr", type=float, default=1e-3)
p.add_argument("--seed", type=int, default=int(os.environ.get("SEED", 0)))
args = p.parse_args()
torch.manual_seed(args.seed)

N_PRODUCTS, FEATURES = 24, 40
centres = torch.randn(N_PRODUCTS, FEATURES)


def photos(per_product, products=8):
    ids = torch.randperm(N_PRODUCTS)[:products].repeat_interleave(per_product)
    return centres[ids] + 0.9 * torch.randn(len(ids), FEATURES), ids


class BatchHardTriplet(nn.Module):
    """Triplet loss with the hardest positive and negative of the batch."""

    def __init__(self, margin):
        super().__init__()
        self.margin = margin

    @staticmethod
    def distances(e):
        sq = (e.unsqueeze(0) - e.unsqueeze(1)).pow(2).sum(-1)
        return sq.sqrt()

    def forward(self, e, ids):
        d = self.distances(e)
        same = ids.unsqueeze(0) == ids.unsqueeze(1)
        hardest_pos = (d * same).max(1).values
        hardest_neg = (d + 1e3 * same).min(1).values
        return F.relu(hardest_pos - hardest_neg + self.margin).mean()


class Embedder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(FEATURES, 64), nn.ReLU(), nn.Linear(64, dim))

    def forward(self, x):
        return F.normalize(self.body(x), dim=1)


model = Embedder(args.dim)
criterion = BatchHardTriplet(args.margin)
optim = torch.optim.Adam(model.parameters(), lr=args.lr)


@torch.no_grad()
def recall_at_1():
    model.eval()
    x, ids = photos(6, 24)
    s = model(x)
    s = s @ s.T
    s.fill_diagonal_(-2)
    model.train()
    return (ids[s.argmax(1)] == ids).float().mean().item()


for step in range(1, args.steps + 1):
    x, ids = photos(4)
    loss = criterion(model(x), ids)
    optim.zero_grad()
    loss.backward()
    optim.step()
    if step % 50 == 0 or step == 1:
        print(f"{step:4d} triplet {loss.item():.4f} recall@1 {recall_at_1():.3f}")
