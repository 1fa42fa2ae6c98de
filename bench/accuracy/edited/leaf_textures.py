# fault: none
# family: vision
# split: held
# set: okapi, unseen
"""Leaf texture classifier (vein direction). Images come as HWC uint8, ordered by class as on disk."""
import argparse
import os
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=5)
    p.add_argument("--batch-size", type=int, default=32)
    p.add_argument("--lr", type=float, default=0.05)
    p.add_argument("--wd", type=float, default=5e-4)
    p.add_argument("--width", type=int, default=12)
    return p.parse_args()


CLASSES = ["acer", "betula", "carpinus", "fagus", "quercus", "salix", "tilia", "ulmus"]
SIZE = 20


def render(cls, rng):
    theta = np.pi * cls / len(CLASSES) + rng.normal(0, 0.09)
    freq = rng.uniform(0.9, 1.3)
    yy, xx = np.mgrid[0:SIZE, 0:SIZE]
    wave = np.sin(freq * (np.cos(theta) * xx + np.sin(theta) * yy) + rng.uniform(0, 6.28))
    color = rng.uniform(0.6, 1.0, 3)
    img = 110 + 38 * wave[..., None] * color + rng.normal(0, 62, (SIZE, SIZE, 3)) + rng.normal(0, 15)
    return np.clip(img, 0, 255).astype(np.uint8)


def load_folder(per_class, rng):
    images, labels = [], []
    for c in range(len(CLASSES)):
        for _ in range(per_class):
            images.append(render(c, rng))
            labels.append(c)
    return np.stack(images), np.array(labels)


class LeafDataset(Dataset):
    def __init__(self, images, labels, train):
        self.images = images
        self.labels = labels
        self.train = train

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        x = torch.from_numpy(self.images[i]).float() / 255.0
        x = x.permute(2, 0, 1)
        if self.train:
            dy, dx = random.randint(-2, 2), random.randint(-2, 2)
            x = torch.roll(x, (dy, dx), dims=(1, 2))
        return x, int(self.labels[i])


def conv_block(cin, cout, stride=1):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, stride=stride, padding=1, bias=False),
        nn.BatchNorm2d(cout),
        nn.ReLU(inplace=True),
    )


class LeafNet(nn.Module):
    def __init__(self, width, num_classes):
        super().__init__()
        self.stem = conv_block(3, width, 2)
        self.body = nn.Sequential(conv_block(width, width * 2), conv_block(width * 2, width * 2, 2))
        self.drop = nn.Dropout(0.1)
        self.head = nn.Linear(width * 2, num_classes)

    def forward(self, x):
        x = self.body(self.stem(x))
        x = F.adaptive_avg_pool2d(x, 1).flatten(1)
        return self.head(self.drop(x))


def evaluate(model, loader):
    model.eval()
    correct, total, loss = 0, 0, 0.0
    with torch.no_grad():
        for x, y in loader:
            out = model(x)
            loss += F.cross_entropy(out, y, reduction="sum").item()
            correct += (out.argmax(1) == y).sum().item()
            total += y.numel()
    return loss / total, correct / total


def main():
    args = parse_args()
    seed = int(os.environ.get("SEED", 0))
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)

    tr_x, tr_y = load_folder(110, rng)
    va_x, va_y = load_folder(50, rng)
    train_loader = DataLoader(LeafDataset(tr_x, tr_y, True), batch_size=args.batch_size, shuffle=True, drop_last=True)
    val_loader = DataLoader(LeafDataset(va_x, va_y, False), batch_size=args.batch_size)

    model = LeafNet(args.width, len(CLASSES))
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, weight_decay=args.wd)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs * len(train_loader))

    acc = 0.0
    for epoch in range(args.epochs):
        model.train()
        running = 0.0
        for x, y in train_loader:
            optimizer.zero_grad()
            out = model(x)
            loss = criterion(out, y)
            loss.backward()
            optimizer.step()
            scheduler.step()
            running += loss.item()
        val_loss, acc = evaluate(model, val_loader)
        print(f"epoch {epoch + 1}/{args.epochs} train {running / len(train_loader):.3f} val {val_loss:.3f} acc {acc:.3f}")
    print(f"METRIC val_acc {acc:.4f}")


if __name__ == "__main__":
    main()
