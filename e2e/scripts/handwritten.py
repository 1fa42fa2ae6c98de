"""Learns scikit-learn's 1,797 images of handwritten digits: handwritten.py [--lr 0.1]."""

import argparse

import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import vigil

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)
args = parser.parse_args()

torch.manual_seed(0)
digits = load_digits()
images = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16
order = torch.randperm(len(images))
images, labels = images[order], torch.tensor(digits.target)[order]
training = DataLoader(TensorDataset(images[:1400], labels[:1400]), batch_size=50, shuffle=True)
held_out = DataLoader(TensorDataset(images[1400:], labels[1400:]), batch_size=100)

model = nn.Sequential(
    nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(32 * 4 * 4, 10),
)
optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=12)
criterion = nn.CrossEntropyLoss()

for epoch in range(12):
    model.train()
    for x, y in training:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
    schedule.step()
    model.eval()
    right = total = 0.0
    with torch.no_grad():
        for x, y in held_out:
            scores = model(x)
            total += criterion(scores, y).item() * len(y)
            right += (scores.argmax(1) == y).sum().item()
    n = len(held_out.dataset)
    vigil.log({"accuracy": right / n, "learning_rate": schedule.get_last_lr()[0]})
    print("epoch %2d, validation loss %.4f, accuracy %.3f" % (epoch, total / n, right / n), flush=True)
