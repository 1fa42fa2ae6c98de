# fault: train-in-eval-mode
# cause_class: eval-mode, structure
# family: accelerate
# split: held
# needs: accelerate
import argparse
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from torch.utils.data import DataLoader, TensorDataset


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=6)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--batch-size", type=int, default=40)
    p.add_argument("--seed", type=int, default=int(os.environ.get("SEED", 0)))
    return p.parse_args()


def mixtures(n, mixing):
    share = torch.rand(n, 5)
    signal = torch.relu(share @ mixing - 0.8) + 0.05 * torch.randn(n, mixing.shape[1])
    return (signal - 1.0) / 0.8, share.argmax(1)


class GasNet(nn.Module):
    def __init__(self, sensors=24):
        super().__init__()
        dims = [sensors, 64, 64, 64, 64]
        self.blocks = nn.ModuleList([
            nn.Sequential(nn.Linear(i, o, bias=False), nn.BatchNorm1d(o), nn.ReLU(), nn.Dropout(0.1)) for i, o in zip(dims, dims[1:])])
        self.out = nn.Linear(64, 5)

    def forward(self, x):
        for b in self.blocks:
            x = b(x)
        return self.out(x)


def evaluate(accelerator, model, loader):
    model.eval()
    loss, hits, count = 0.0, 0, 0
    for x, y in loader:
        with torch.no_grad():
            logits = model(x)
        logits, y = accelerator.gather_for_metrics((logits, y))
        loss += F.cross_entropy(logits, y, reduction="sum").item()
        hits += (logits.argmax(-1) == y).sum().item()
        count += len(y)
    return loss / count, hits / count


def main(args):
    torch.manual_seed(args.seed)
    accelerator = Accelerator(cpu=True)
    mixing = torch.randn(5, 24)
    train = DataLoader(TensorDataset(*mixtures(2000, mixing)), batch_size=args.batch_size, shuffle=True)
    test = DataLoader(TensorDataset(*mixtures(500, mixing)), batch_size=250)
    model = GasNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    model, optimizer, train, test = accelerator.prepare(model, optimizer, train, test)
    accelerator.print("start: loss %.3f acc %.3f" % evaluate(accelerator, model, test))

    for epoch in range(args.epochs):
        total = 0.0
        for x, y in train:
            loss = F.cross_entropy(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            total += loss.item()
        accelerator.print("epoch %d: train %.3f" % (epoch, total / len(train)), "test loss %.3f acc %.3f" % evaluate(accelerator, model, test))


if __name__ == "__main__":
    main(parse())
