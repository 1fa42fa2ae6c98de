# fault: learning-rate-too-high
# cause_class: learning-rate
# family: vision
# split: held
# needs: sklearn
import os
import argparse
import time
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from sklearn.datasets import load_digits


def get_args():
    p = argparse.ArgumentParser(description="reference classification, trimmed")
    p.add_argument("--base-lr", default=0.1, type=float, help="linearly scaled with the batch (Goyal et al. 2017)")
    p.add_argument("--batch-size", default=64, type=int)
    p.add_argument("--epochs", default=8, type=int)
    p.add_argument("--momentum", default=0.9, type=float)
    p.add_argument("--wd", "--weight-decay", default=1e-4, type=float, dest="weight_decay")
    p.add_argument("--print-freq", default=10, type=int)
    p.add_argument("--seed", default=int(os.environ.get("SEED", 0)), type=int)
    return p.parse_args([])


class AverageMeter:
    def __init__(self):
        self.sum = self.count = 0

    def update(self, v, n=1):
        self.sum += v * n
        self.count += n

    @property
    def avg(self):
        return self.sum / max(1, self.count)


def conv_bn(i, o, stride):
    return nn.Sequential(nn.Conv2d(i, o, 3, stride, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU())


def conv_net(width=16):
    return nn.Sequential(conv_bn(1, width, 1), conv_bn(width, width, 2), conv_bn(width, 2 * width, 2),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2 * width, 10))


def scaled_lr(args):
    return args.base_lr * args.batch_size


def main(args):
    torch.manual_seed(args.seed)
    d = load_digits()
    x = (torch.tensor(d.images, dtype=torch.float32)[:, None] / 16 - 0.305) / 0.376
    y = torch.tensor(d.target)
    order = torch.randperm(len(x))
    x, y = x[order], y[order]
    train_loader = DataLoader(TensorDataset(x[:1440], y[:1440]), args.batch_size, shuffle=True, drop_last=True)
    val_loader = DataLoader(TensorDataset(x[1440:], y[1440:]), 256)
    model = conv_net()
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=scaled_lr(args), momentum=args.momentum, weight_decay=args.weight_decay)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs * len(train_loader))
    for epoch in range(args.epochs):
        model.train()
        meter, t0 = AverageMeter(), time.time()
        for i, (image, target) in enumerate(train_loader):
            loss = criterion(model(image), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
            meter.update(loss.item(), len(image))
            if i % args.print_freq == 0:
                print(f"Epoch: [{epoch}] [{i}/{len(train_loader)}] loss: {loss.item():.4f} ({meter.avg:.4f})")
        model.eval()
        with torch.no_grad():
            acc = sum((model(a).argmax(1) == b).sum().item() for a, b in val_loader) / 357
        print(f"Test: acc@1 {100 * acc:.2f}")


if __name__ == "__main__":
    main(get_args())
