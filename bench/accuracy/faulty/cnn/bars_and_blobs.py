# fault: learning-rate-too-low
# cause_class: learning-rate, optimizer
# family: cnn
# split: tune
import os
import random

import torch
import torch.nn as nn
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, TensorDataset

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)

CFG = dict(epochs=8, batch_size=32, lr=0.02, lr_step=3, lr_gamma=0.3, momentum=0.9)


def make_images(n):
    x = 0.4 * torch.randn(n, 1, 16, 16)
    y = torch.randint(0, 4, (n,))
    for i in range(n):
        r, c = random.randint(3, 11), random.randint(3, 11)
        if y[i] == 0:
            x[i, 0, r, 2:14] += 1.5
        elif y[i] == 1:
            x[i, 0, 2:14, c] += 1.5
        elif y[i] == 2:
            x[i, 0, r - 2:r + 3, c - 2:c + 3] += 1.2
        else:
            for k in range(-3, 4):
                x[i, 0, r + k, c + k] += 1.7
    return (x - x.mean()) / x.std(), y


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(12, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(), nn.MaxPool2d(2),
        )
        self.head = nn.Linear(24 * 16, 4)

    def forward(self, x):
        return self.head(self.features(x).flatten(1))


def train_epoch(model, loader, opt, sched, crit):
    model.train()
    tot = 0.0
    for xb, yb in loader:
        opt.zero_grad()
        loss = crit(model(xb), yb)
        loss.backward()
        opt.step()
        sched.step()
        tot += loss.item() * len(xb)
    return tot / len(loader.dataset)


@torch.no_grad()
def accuracy(model, x, y):
    model.eval()
    return (model(x).argmax(1) == y).float().mean().item()


def main():
    xtr, ytr = make_images(1200)
    xva, yva = make_images(300)
    loader = DataLoader(TensorDataset(xtr, ytr), batch_size=CFG["batch_size"], shuffle=True)
    model = Net()
    opt = torch.optim.SGD(model.parameters(), lr=CFG["lr"], momentum=CFG["momentum"])
    # drop the rate every three epochs
    sched = StepLR(opt, step_size=CFG["lr_step"], gamma=CFG["lr_gamma"])
    crit = nn.CrossEntropyLoss()
    for ep in range(CFG["epochs"]):
        tr = train_epoch(model, loader, opt, sched, crit)
        print(f"epoch {ep} loss {tr:.4f} val acc {accuracy(model, xva, yva):.3f}")


if __name__ == "__main__":
    main()
