# fault: inputs-not-scaled
# cause_class: data-scaling, data-loading
# family: mlp
# split: tune
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


class TripTable:
    """Duration in seconds, start as seconds since 1970, distance in metres, coordinates in degrees, age."""

    def __init__(self, n):
        self.member = (torch.rand(n) > 0.5).long()
        m = self.member.float()
        dur = 400 + 500 * (1 - m) + 150 * torch.randn(n)
        hour = torch.where(self.member == 1, 8 + torch.randn(n), 14 + 3 * torch.randn(n))
        start = 1.7e9 + 86400 * torch.randint(0, 300, (n,)) + 3600 * hour
        dist = 2000 + 600 * torch.randn(n) + 300 * m
        lat, lon = 52.5 + 0.03 * torch.randn(n) + 0.02 * m, 13.4 + 0.05 * torch.randn(n)
        age = 38 + 10 * torch.randn(n) - 3 * m
        self.x = torch.stack([dur, start, dist, lat, lon, age], 1)

    def split(self, k):
        return (self.x[:k], self.member[:k]), (self.x[k:], self.member[k:])


def fit(model, train, val, epochs=10, bs=50):
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    x, y = train
    for e in range(epochs):
        model.train()
        perm = torch.randperm(len(x))
        tot = 0.0
        for i in range(0, len(x), bs):
            b = perm[i:i + bs]
            loss = nn.functional.cross_entropy(model(x[b]), y[b])
            opt.zero_grad()
            loss.backward()
            opt.step()
            tot += loss.item() * len(b)
        model.eval()
        with torch.no_grad():
            acc = (model(val[0]).argmax(1) == val[1]).float().mean()
        print(f"{e:2d} train {tot / len(x):12.3f} accuracy {acc:.3f}")


train, val = TripTable(2500).split(2000)
fit(nn.Sequential(nn.Linear(6, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 2)), train, val)
