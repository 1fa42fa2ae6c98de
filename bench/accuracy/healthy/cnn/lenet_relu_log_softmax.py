# fault: none
# family: cnn
# split: tune
# The classic example: log_softmax in the model with nll_loss, DataLoader with two workers, inputs normalised.
import argparse
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, Dataset


class Shapes(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.labels = torch.randint(0, 4, (n,), generator=g)
        self.images = torch.zeros(n, 1, 14, 14)
        at = torch.randint(1, 6, (n, 2), generator=g)
        for i, (c, (r, k)) in enumerate(zip(self.labels.tolist(), at.tolist())):
            s = self.images[i, 0, r:r + 7, k:k + 7]
            if c == 0:
                s[:] = 1
            elif c == 1:
                s[0] = s[-1] = 1
                s[:, 0] = s[:, -1] = 1
            elif c == 2:
                s[3] = 1
                s[:, 3] = 1
            else:
                s[torch.arange(7), torch.arange(7)] = 1
        self.images += 0.1 * torch.randn(self.images.shape, generator=g)
        self.images = (self.images - 0.15) / 0.35

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.images[i], self.labels[i]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, 1)
        self.conv2 = nn.Conv2d(8, 16, 3, 1)
        self.dropout1 = nn.Dropout(0.25)
        self.dropout2 = nn.Dropout(0.5)
        self.fc1 = nn.Linear(16 * 5 * 5, 64)
        self.fc2 = nn.Linear(64, 4)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = F.max_pool2d(x, 2)
        x = self.dropout1(x)
        x = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))
        x = self.dropout2(x)
        return F.log_softmax(self.fc2(x), dim=1)


def train(args, model, loader, optimizer, epoch):
    model.train()
    losses = []
    for batch_idx, (data, target) in enumerate(loader):
        optimizer.zero_grad()
        loss = F.nll_loss(model(data), target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if batch_idx % args.log_interval == 0:
            print(f"Train Epoch: {epoch} [{batch_idx * len(data)}/{len(loader.dataset)}] Loss: {loss.item():.6f}")
    return losses


def test(model, loader):
    model.eval()
    test_loss = correct = 0
    with torch.no_grad():
        for data, target in loader:
            output = model(data)
            test_loss += F.nll_loss(output, target, reduction="sum").item()
            correct += output.argmax(dim=1).eq(target).sum().item()
    n = len(loader.dataset)
    print(f"Test set: Average loss: {test_loss / n:.4f}, Accuracy: {correct}/{n}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--lr", type=float, default=1.0)
    parser.add_argument("--gamma", type=float, default=0.7)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--log-interval", type=int, default=20)
    args = parser.parse_args()
    seed = int(os.environ.get("SEED", "0"))
    torch.manual_seed(seed)
    train_loader = DataLoader(Shapes(1280, seed), args.batch_size, shuffle=True, num_workers=args.workers)
    test_loader = DataLoader(Shapes(200, seed + 1), 100)
    model = Net()
    optimizer = optim.Adadelta(model.parameters(), lr=args.lr)
    scheduler = StepLR(optimizer, step_size=1, gamma=args.gamma)
    losses = []
    for epoch in range(1, args.epochs + 1):
        losses += train(args, model, train_loader, optimizer, epoch)
        test(model, test_loader)
        scheduler.step()
    print(f"loss first {losses[0]:.4f} last {losses[-1]:.4f}")


if __name__ == "__main__":
    main()
