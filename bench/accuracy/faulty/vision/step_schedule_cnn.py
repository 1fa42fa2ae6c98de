# fault: learning-rate-too-high
# cause_class: learning-rate, optimizer
# family: vision
# split: held
# set: ibis, unseen
import argparse
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=12)
parser.add_argument("--batch-size", type=int, default=32)
parser.add_argument("--lr", type=float, default=0.03)
parser.add_argument("--momentum", type=float, default=0.9)
parser.add_argument("--lr-step", type=int, default=5)
parser.add_argument("--lr-gamma", type=float, default=10)
parser.add_argument("--seed", type=int, default=int(os.environ.get("SEED", 0)))
args = parser.parse_args()
torch.manual_seed(args.seed)


def shapes(n):
    """16x16 images: horizontal bar, vertical bar, cross, square frame."""
    img = 0.25 * torch.randn(n, 1, 16, 16)
    lab = torch.randint(0, 4, (n,))
    for i in range(n):
        r, c = torch.randint(3, 12, (2,)).tolist()
        k = int(lab[i])
        if k in (0, 2):
            img[i, 0, r, c - 3:c + 4] += 1.0
        if k in (1, 2):
            img[i, 0, r - 3:r + 4, c] += 1.0
        if k == 3:
            img[i, 0, [r - 2, r + 2], c - 2:c + 3] += 1.0
            img[i, 0, r - 2:r + 3, [c - 2, c + 2]] += 1.0
    return img, lab


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(1, 12, 3, padding=1)
        self.c2 = nn.Conv2d(12, 24, 3, padding=1)
        self.fc1 = nn.Linear(24 * 16, 48)
        self.fc2 = nn.Linear(48, 4)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.c1(x)), 2)
        x = F.max_pool2d(F.relu(self.c2(x)), 2)
        return self.fc2(F.relu(self.fc1(x.flatten(1))))


train = DataLoader(TensorDataset(*shapes(1000)), batch_size=args.batch_size, shuffle=True)
xt, yt = shapes(300)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=args.momentum)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=args.lr_step, gamma=args.lr_gamma)

for epoch in range(args.epochs):
    model.train()
    running = 0.0
    for xb, yb in train:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(xb), yb)
        loss.backward()
        optimizer.step()
        running += loss.item()
    scheduler.step()
    model.eval()
    with torch.no_grad():
        acc = (model(xt).argmax(1) == yt).float().mean().item()
    print(f"epoch {epoch + 1}: train loss {running / len(train):.4f}  test acc {acc:.3f}")
