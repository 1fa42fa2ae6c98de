# fault: no-gradient
# cause_class: not-updated, loss, structure
# family: segmentation
# split: tune
import argparse
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class DiceLoss(nn.Module):
    def __init__(self, threshold=0.5, smooth=1.0):
        super().__init__()
        self.threshold, self.smooth = threshold, smooth

    def forward(self, logits, target):
        mask = (torch.sigmoid(logits) > self.threshold).float()
        inter = (mask * target).sum((1, 2, 3))
        total = mask.sum((1, 2, 3)) + target.sum((1, 2, 3))
        dice = (2 * inter + self.smooth) / (total + self.smooth)
        return (1 - dice).mean()


class SegNet(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, width, 3, padding=2, dilation=2), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, 1, 1))

    def forward(self, x):
        return self.body(x)


def shapes(n, size=20):
    xs, ms = torch.zeros(n, 1, size, size), torch.zeros(n, 1, size, size)
    for i in range(n):
        a, b = torch.randint(2, size - 8, (2,)).tolist()
        h, w = torch.randint(4, 8, (2,)).tolist()
        ms[i, 0, a:a + h, b:b + w] = 1
    xs = ms * 1.2 + 0.5 * torch.randn_like(xs)
    return TensorDataset(xs, ms)


def train_one_epoch(model, loader, criterion, optimizer):
    model.train()
    total = 0.0
    for x, mask in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), mask)
        loss.requires_grad_(True)
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / len(loader)


@torch.no_grad()
def evaluate(model, loader, criterion):
    model.eval()
    return 1 - sum(criterion(model(x), m).item() for x, m in loader) / len(loader)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=4)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--width", type=int, default=12)
    p.add_argument("--batch", type=int, default=20)
    args, _ = p.parse_known_args()
    torch.manual_seed(int(os.environ.get("SEED", "0")))
    train = DataLoader(shapes(500), args.batch, shuffle=True)
    valid = DataLoader(shapes(100), 50)
    model, criterion = SegNet(args.width), DiceLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        loss = train_one_epoch(model, train, criterion, optimizer)
        print(f"[{epoch + 1}/{args.epochs}] dice loss {loss:.4f} valid dice {evaluate(model, valid, criterion):.4f}")


if __name__ == "__main__":
    main()
