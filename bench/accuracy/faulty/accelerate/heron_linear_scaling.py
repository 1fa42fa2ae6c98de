# fault: learning-rate-too-high
# cause_class: learning-rate
# family: accelerate
# split: held
# needs: accelerate, sklearn
import argparse
import os

import torch
import torch.nn as nn
from accelerate import Accelerator
from accelerate.utils import set_seed
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.optim.lr_scheduler import CosineAnnealingLR
from torch.utils.data import DataLoader, TensorDataset


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--lr", type=float, default=0.05, help="rate for the reference batch")
    p.add_argument("--reference_batch", type=int, default=64)
    p.add_argument("--batch_size", type=int, default=64)
    p.add_argument("--momentum", type=float, default=0.9)
    p.add_argument("--epochs", type=int, default=12)
    p.add_argument("--seed", type=int, default=int(os.environ.get("SEED", 0)))
    return p.parse_args([])


def main():
    args = parse()
    set_seed(args.seed)
    accelerator = Accelerator(cpu=True)

    X, y = load_digits(return_X_y=True)
    a, b, ya, yb = train_test_split(X.astype("float32") / 16 - 0.3, y, test_size=0.25, random_state=args.seed, stratify=y)
    train = DataLoader(TensorDataset(torch.from_numpy(a), torch.from_numpy(ya)), args.batch_size, shuffle=True, drop_last=True)
    test = DataLoader(TensorDataset(torch.from_numpy(b), torch.from_numpy(yb)), 450)

    model = nn.Sequential(nn.Linear(64, 128), nn.Tanh(), nn.Linear(128, 64), nn.Tanh(), nn.Linear(64, 10))
    total_batch = args.batch_size * accelerator.num_processes
    lr = args.lr * total_batch  # linear scaling rule, Goyal et al. 2017
    optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=args.momentum, nesterov=True)
    scheduler = CosineAnnealingLR(optimizer, args.epochs * len(train))
    model, optimizer, train, test, scheduler = accelerator.prepare(model, optimizer, train, test, scheduler)

    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for x, t in train:
            optimizer.zero_grad(set_to_none=True)
            loss = nn.functional.cross_entropy(model(x), t)
            accelerator.backward(loss)
            optimizer.step()
            scheduler.step()
            total += loss.detach().item()
        model.eval()
        with torch.no_grad():
            hits = sum((model(x).argmax(1) == t).sum().item() for x, t in test)
        accelerator.print(f"{epoch:2d} loss {total / len(train):8.3f} acc {hits / len(yb):.3f}")


if __name__ == "__main__":
    main()
