# fault: labels-shuffled
# cause_class: labels, data-loading
# family: cnn
# split: tune
# needs: numpy
"""Classify the orientation of stripes. Images and labels come from two arrays as in our old pipeline."""
import os
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

seed = int(os.environ.get("SEED", 0))
np.random.seed(seed)
torch.manual_seed(seed)


def make_images(n, size=16):
    y = np.random.randint(0, 4, n)
    grid = np.stack(np.meshgrid(np.arange(size), np.arange(size), indexing="ij"), -1)
    angle = y * np.pi / 4
    direction = np.stack([np.cos(angle), np.sin(angle)], -1)
    phase = np.random.uniform(0, 2 * np.pi, n)
    x = np.sin(1.1 * (grid[None] * direction[:, None, None]).sum(-1) + phase[:, None, None])
    x += 0.3 * np.random.randn(*x.shape)
    return x.astype(np.float32)[:, None], y


def shuffle(*arrays):
    result = []
    for a in arrays:
        idx = np.random.permutation(len(a))
        result.append(a[idx])
    return result


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(1, 8, 5, padding=2)
        self.c2 = nn.Conv2d(8, 16, 3, padding=1)
        self.fc = nn.Linear(16 * 4, 4)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.c1(x)), 4)
        x = F.max_pool2d(F.relu(self.c2(x)), 2)
        return self.fc(x.flatten(1))


images, labels = make_images(1200)
images, labels = shuffle(images, labels)
x_train, y_train = torch.tensor(images[:1000]), torch.tensor(labels[:1000])
x_val, y_val = torch.tensor(images[1000:]), torch.tensor(labels[1000:])

net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(8):
    net.train()
    order = torch.randperm(1000)
    running = 0
    for i in range(0, 1000, 40):
        idx = order[i:i + 40]
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x_train[idx]), y_train[idx])
        loss.backward()
        optimizer.step()
        running += loss.item()
    net.eval()
    with torch.no_grad():
        logits = net(x_val)
        acc = (logits.argmax(1) == y_val).float().mean().item()
        vloss = F.cross_entropy(logits, y_val).item()
    print(f"[{epoch}] loss {running / 25:.4f}  val loss {vloss:.4f}  val acc {acc:.3f}")
