# fault: none
# family: vision
# split: held
"""Mixup with soft targets and warm restarts; the training loss stays high on purpose and jumps at each restart."""
import os
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class HP:
    lr: float = 0.05
    cycle: int = 40
    mult: int = 2
    batch: int = 50
    epochs: int = 7
    alpha: float = 0.4
    classes: int = 8


class ResBlock(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.f = nn.Sequential(nn.Conv2d(c, c, 3, padding=1, bias=False), nn.BatchNorm2d(c), nn.ReLU(),
                               nn.Conv2d(c, c, 3, padding=1, bias=False), nn.BatchNorm2d(c))

    def forward(self, x):
        return torch.relu(x + self.f(x))


def resnet(classes, c=10):
    return nn.Sequential(nn.Conv2d(1, c, 3, padding=1), nn.MaxPool2d(2), ResBlock(c), nn.AdaptiveAvgPool2d(2), nn.Flatten(),
                         nn.Linear(4 * c, classes))


def mixup(x, y, alpha, classes):
    lam = torch.distributions.Beta(alpha, alpha).sample()
    idx = torch.randperm(len(x))
    target = F.one_hot(y, classes).float()
    return lam * x + (1 - lam) * x[idx], lam * target + (1 - lam) * target[idx]


def main():
    hp = HP()
    torch.manual_seed(int(os.environ.get("SEED", "0")))
    shapes = (torch.rand(hp.classes, 1, 10, 10) < 0.3).float() * 1.5
    def glyphs(n):
        y = torch.randint(0, hp.classes, (n,))
        return TensorDataset(shapes[y] + 0.8 * torch.randn(n, 1, 10, 10), y)
    train, valid = DataLoader(glyphs(2000), hp.batch, shuffle=True), DataLoader(glyphs(400), 200)
    model = resnet(hp.classes)
    optimizer = torch.optim.SGD(model.parameters(), lr=hp.lr, momentum=0.9, weight_decay=5e-4)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=hp.cycle, T_mult=hp.mult)
    for epoch in range(hp.epochs):
        model.train()
        total = 0.0
        for x, y in train:
            x, target = mixup(x, y, hp.alpha, hp.classes)
            loss = F.cross_entropy(model(x), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
            total += loss.item()
        model.eval()
        with torch.no_grad():
            hits = sum((model(x).argmax(1) == y).sum().item() for x, y in valid)
        print(f"epoch {epoch} mixed loss {total / len(train):.4f} acc {hits / 400:.3f} lr {optimizer.param_groups[0]['lr']:.4f}")


if __name__ == "__main__":
    main()
