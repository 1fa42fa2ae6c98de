# fault: none
# family: vision
# split: held
"""Pre-training on one camera, fine-tuning of the head and the last block on another; the batch norms of the
backbone keep the statistics of pre-training and stay in eval mode."""
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = int(os.environ.get("SEED", "0"))
torch.manual_seed(SEED)
shapes = (torch.rand(10, 1, 12, 12) < 0.3).float() * 1.6


def camera(n, classes, noise):
    y = torch.randint(0, len(classes), (n,))
    x = shapes[torch.tensor(classes)[y]] + noise * torch.randn(n, 1, 12, 12)
    return TensorDataset(x, y)


def block(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(), nn.MaxPool2d(2))


class Net(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.stem, self.last = block(1, 12), block(12, 24)
        self.head = nn.Linear(24 * 9, classes)
        self.frozen_stats = False

    def freeze(self):
        self.stem.requires_grad_(False)
        for m in self.modules():
            if isinstance(m, nn.BatchNorm2d):
                m.requires_grad_(False)
        self.frozen_stats = True
        return self

    def train(self, mode=True):
        super().train(mode)
        if self.frozen_stats:
            for m in self.modules():
                if isinstance(m, nn.BatchNorm2d):
                    m.eval()
        return self

    def forward(self, x):
        return self.head(self.last(self.stem(x)).flatten(1))


def fit(net, train, valid, epochs, groups, tag):
    opt = torch.optim.AdamW(groups)
    for epoch in range(epochs):
        net.train()
        total = 0.0
        for x, y in train:
            loss = nn.functional.cross_entropy(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        net.eval()
        with torch.no_grad():
            x, y = valid.tensors
            acc = (net(x).argmax(1) == y).float().mean()
        print(f"{tag} {epoch} loss {total / len(train):.4f} acc {acc:.3f}")


net = Net(6)
old, new = list(range(6)), [6, 7, 8, 9]
fit(net, DataLoader(camera(1500, old, 0.8), 50, shuffle=True), camera(300, old, 0.8), 3,
    [{"params": net.parameters(), "lr": 2e-3}], "pretrain")
net.freeze()
net.head = nn.Linear(24 * 9, len(new))
fit(net, DataLoader(camera(800, new, 0.8), 16, shuffle=True), camera(300, new, 0.8), 3,
    [{"params": net.last[0].parameters(), "lr": 1e-4}, {"params": net.head.parameters(), "lr": 2e-3}], "finetune")
