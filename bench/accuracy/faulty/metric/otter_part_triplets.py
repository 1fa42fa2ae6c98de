# fault: not-finite
# cause_class: non-finite, loss
# family: metric
# split: held
import os

import torch
from torch import nn

SEED = int(os.environ.get("SEED", 0))


def pairwise(z):
    sq = (z[:, None] - z[None]).pow(2).sum(-1)
    return sq.sqrt()


class BatchHardTriplet(nn.Module):
    """Hardest positive and hardest negative of every anchor in the batch."""

    def __init__(self, margin=0.3):
        super().__init__()
        self.margin = margin

    def forward(self, z, label):
        d = pairwise(z)
        same = label[:, None] == label[None]
        pos = (d * same).max(1).values
        neg = d.masked_fill(same, float("inf")).min(1).values
        return (pos - neg + self.margin).clamp_min(0).mean()


class PartSampler:
    """P parts with K pictures (here: measured contours) each."""

    def __init__(self, parts=20, dims=24, p=8, k=4):
        self.centre = torch.randn(parts, dims)
        self.p, self.k = p, k

    def draw(self, which):
        y = which.repeat_interleave(self.k)
        x = self.centre[y] + 0.6 * torch.randn(len(y), self.centre.shape[1])
        return torch.tanh(x), y

    def batch(self):
        return self.draw(torch.randperm(len(self.centre))[:self.p])

    def everything(self):
        return self.draw(torch.arange(len(self.centre)))


class Embedder(nn.Module):
    def __init__(self, dims=24, out=8):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dims, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, out))

    def forward(self, x):
        return nn.functional.normalize(self.net(x), dim=1)


@torch.no_grad()
def recall_at_1(model, x, y):
    model.eval()
    d = torch.cdist(model(x), model(x))
    d.fill_diagonal_(float("inf"))
    model.train()
    return (y[d.argmin(1)] == y).float().mean().item()


def main():
    torch.manual_seed(SEED)
    data, model, loss_fn = PartSampler(), Embedder(), BatchHardTriplet()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    print("before", round(recall_at_1(model, *data.everything()), 3))
    for it in range(1, 401):
        x, y = data.batch()
        loss = loss_fn(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if it <= 3 or it % 50 == 0:
            print(it, f"{loss.item():.4f}", f"recall@1 {recall_at_1(model, *data.everything()):.3f}")


main()
