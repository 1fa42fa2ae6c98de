# fault: none
# family: finetune
# split: held
import os
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Stage:
    name: str
    classes: int
    steps: int
    rates: dict      # part of the network -> learning rate; parts not named stay frozen


STAGES = [Stage("pretrain", 8, 250, {"stem": 3e-3, "body": 3e-3, "head": 3e-3}),
          Stage("head only", 3, 150, {"head": 5e-3}),
          Stage("thaw body", 3, 150, {"body": 3e-4, "head": 2e-3})]


class Sensor:
    """Spectra with one of eight fault signatures; the second plant knows only three groups of them."""

    def __init__(self, bins=40):
        self.sig = torch.randn(8, bins)
        self.group = torch.tensor([0, 1, 2, 0, 1, 2, 0, 1])

    def batch(self, n, classes):
        k = torch.randint(0, 8, (n,))
        x = self.sig[k] * (0.6 + 0.8 * torch.rand(n, 1)) + 1.2 * torch.randn(n, self.sig.shape[1])
        return x / 1.5, (k if classes == 8 else self.group[k])


class Net(nn.Module):
    def __init__(self, bins=40, w=64):
        super().__init__()
        self.stem = nn.Sequential(nn.Linear(bins, w), nn.LayerNorm(w), nn.GELU())
        self.body = nn.Sequential(nn.Linear(w, w), nn.GELU(), nn.Linear(w, w), nn.GELU())
        self.head = nn.Linear(w, 8)

    def forward(self, x):
        h = self.stem(x)
        return self.head(h + self.body(h))


def run(stage, net, data):
    if net.head.out_features != stage.classes:
        net.head = nn.Linear(net.head.in_features, stage.classes)
    groups = []
    for name, part in net.named_children():
        part.requires_grad_(name in stage.rates)
        if name in stage.rates:
            groups.append({"params": part.parameters(), "lr": stage.rates[name]})
    opt = torch.optim.AdamW(groups, weight_decay=0.01)
    total = 0.0
    for it in range(1, stage.steps + 1):
        x, y = data.batch(64, stage.classes)
        loss = F.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
        if it % 50 == 0:
            net.eval()
            with torch.no_grad():
                x, y = data.batch(500, stage.classes)
                acc = (net(x).argmax(1) == y).float().mean().item()
            net.train()
            print(f"{stage.name:10s} {it:4d} loss {total / 50:.4f} acc {acc:.3f}")
            total = 0.0


torch.manual_seed(int(os.environ.get("SEED", 0)))
net, data = Net(), Sensor()
for s in STAGES:
    run(s, net, data)
