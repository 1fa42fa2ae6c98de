# fault: labels-shuffled
# cause_class: labels, data-loading
# family: logistics
# split: held
import os
import random
from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Parcel:
    id: int
    weight: float
    km: float
    stops: int
    priority: int
    hub: int


def shipments(n):
    """Master data come in the order of scanning, outcomes in the order of their ids."""
    ids = random.sample(range(10 * n), n)
    parcels = [Parcel(i, random.lognormvariate(0, 0.6), random.uniform(5, 800), random.randint(1, 6),
                      int(random.random() < 0.2), random.randrange(4)) for i in ids]
    outcome = {}
    for p in parcels:
        s = 0.006 * (p.km - 400) + 0.7 * (p.stops - 3.5) - 2.0 * p.priority + (1.5 if p.hub == 2 else -0.3)
        outcome[p.id] = int(s + random.gauss(0, 0.6) > 0)
    return parcels, dict(sorted(outcome.items()))


def features(parcels):
    num = torch.tensor([[p.weight, p.km, p.stops, p.priority] for p in parcels], dtype=torch.float32)
    num = (num - num.mean(0)) / num.std(0)
    hub = nn.functional.one_hot(torch.tensor([p.hub for p in parcels]), 4).float()
    return torch.cat([num, hub], 1)


def build(n):
    parcels, outcome = shipments(n)
    return features(parcels), torch.tensor(list(outcome.values()), dtype=torch.float32)


class DelayNet(nn.Module):
    def __init__(self, d=8, w=48):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d, w), nn.ReLU(), nn.Linear(w, w), nn.ReLU(), nn.Linear(w, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


def main():
    seed = int(os.environ.get("SEED", 0))
    random.seed(seed)
    torch.manual_seed(seed)
    x, y = build(4000)
    tr, va = slice(0, 3200), slice(3200, None)
    loader = DataLoader(TensorDataset(x[tr], y[tr]), 64, shuffle=True)
    model, bce = DelayNet(), nn.BCEWithLogitsLoss()
    opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.01)
    for epoch in range(10):
        model.train()
        total = 0.0
        for xb, yb in loader:
            opt.zero_grad()
            loss = bce(model(xb), yb)
            loss.backward()
            opt.step()
            total += loss.item()
        model.eval()
        with torch.no_grad():
            out = model(x[va])
            acc = ((out > 0) == (y[va] > 0.5)).float().mean().item()
            vl = bce(out, y[va]).item()
        print(f"epoch {epoch} loss {total / len(loader):.4f} val {vl:.4f} acc {acc:.3f} late {y[va].mean().item():.2f}")


main()
