# fault: eval-in-train-mode
# cause_class: eval-mode
# family: cnn
# split: held
import os

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))
DEVICE = "cpu"


class AverageMeter:
    def __init__(self):
        self.sum, self.count = 0.0, 0

    def update(self, value, n=1):
        self.sum += value * n
        self.count += n

    @property
    def avg(self):
        return self.sum / max(1, self.count)


def make_split(n):
    """16x16 images, six kinds of stripes"""
    y = torch.randint(0, 6, (n,))
    r = torch.arange(16).float()
    ang = y.float() * 3.1416 / 6 + 0.06 * torch.randn(n)
    ph = 6.28 * torch.rand(n)
    u = torch.cos(ang)[:, None, None] * r[None, :, None] + torch.sin(ang)[:, None, None] * r[None, None, :]
    x = torch.sin(0.9 * u + ph[:, None, None]) + 0.8 * torch.randn(n, 16, 16)
    return TensorDataset(x.unsqueeze(1), y)


def build_model():
    def conv(i, o):
        return [nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(), nn.MaxPool2d(2)]
    return nn.Sequential(*conv(1, 16), *conv(16, 32), nn.Flatten(), nn.Dropout(0.5),
                         nn.Linear(512, 64), nn.ReLU(), nn.Dropout(0.5), nn.Linear(64, 6))


def train_one_epoch(model, loader, criterion, optimizer):
    model.train()
    losses = AverageMeter()
    for x, y in loader:
        x, y = x.to(DEVICE), y.to(DEVICE)
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.update(loss.item(), x.size(0))
    return losses.avg


@torch.no_grad()
def validate(model, loader, criterion):
    losses, top1 = AverageMeter(), AverageMeter()
    for x, y in loader:
        x, y = x.to(DEVICE), y.to(DEVICE)
        out = model(x)
        losses.update(criterion(out, y).item(), x.size(0))
        top1.update((out.argmax(1) == y).float().mean().item(), x.size(0))
    return losses.avg, top1.avg


def main():
    train_loader = DataLoader(make_split(1200), batch_size=32, shuffle=True)
    val_loader = DataLoader(make_split(300), batch_size=50)
    model = build_model().to(DEVICE)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-2)
    for epoch in range(8):
        tr = train_one_epoch(model, train_loader, criterion, optimizer)
        va, acc = validate(model, val_loader, criterion)
        print(f"epoch {epoch}  train {tr:.4f}  val {va:.4f}  top1 {acc:.3f}")
    return model, val_loader, criterion


if __name__ == "__main__":
    main()
