# fault: none
# family: cnn
# split: tune
# needs: sklearn
import os
from dataclasses import dataclass, field

import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Args:
    seed: int = int(os.environ.get("SEED", 0))
    epochs: int = 7
    lr: float = 0.08
    batch_size: int = 64
    label_smoothing: float = 0.1
    widths: list = field(default_factory=lambda: [16, 32])


class ResBlock(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.a = nn.Sequential(nn.Conv2d(c, c, 3, padding=1, bias=False), nn.BatchNorm2d(c), nn.ReLU(),
                               nn.Conv2d(c, c, 3, padding=1, bias=False), nn.BatchNorm2d(c))

    def forward(self, x):
        return torch.relu(x + self.a(x))


def make(args):
    layers, cin = [], 1
    for w in args.widths:
        layers += [nn.Conv2d(cin, w, 3, padding=1), nn.BatchNorm2d(w), nn.ReLU(), ResBlock(w), nn.MaxPool2d(2)]
        cin = w
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(cin, 10))


def main(args):
    torch.manual_seed(args.seed)
    d = load_digits()
    x = torch.tensor(d.images, dtype=torch.float32)[:, None] / 8 - 1
    y = torch.tensor(d.target)
    perm = torch.randperm(len(x))
    tr, va = perm[:1440], perm[1440:]
    loader = DataLoader(TensorDataset(x[tr], y[tr]), args.batch_size, shuffle=True)
    net = make(args)
    opt = torch.optim.SGD(net.parameters(), lr=args.lr, momentum=0.9, weight_decay=5e-4, nesterov=True)
    sched = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, T_0=len(loader), T_mult=2)
    crit = nn.CrossEntropyLoss(label_smoothing=args.label_smoothing)
    for epoch in range(args.epochs):
        net.train()
        tot = 0
        for xb, yb in loader:
            opt.zero_grad()
            loss = crit(net(xb), yb)
            loss.backward()
            opt.step()
            sched.step()
            tot += loss.item()
        net.eval()
        with torch.no_grad():
            acc = (net(x[va]).argmax(1) == y[va]).float().mean().item()
        print(f"epoch {epoch} lr {sched.get_last_lr()[0]:.4f} loss {tot / len(loader):.4f} val_acc {acc:.4f}")


main(Args())
