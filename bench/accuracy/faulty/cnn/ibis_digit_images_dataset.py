# fault: inputs-constant
# cause_class: data-scaling, data-loading
# family: cnn
# split: held
import os
import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SEED = int(os.environ.get("SEED", "0"))
random.seed(SEED)
np.random.seed(SEED)
torch.manual_seed(SEED)

GLYPHS = ["111101101101111", "010110010010111", "111001111100111", "111001111001111", "101101111001001",
          "111100111001111", "111100111101111", "111001010010010", "111101111101111", "111101111001111"]


def render(n):
    images = np.zeros((n, 12, 12), dtype=np.uint8)
    labels = np.random.randint(0, 10, n)
    for i, k in enumerate(labels):
        g = np.array([int(c) for c in GLYPHS[k]]).reshape(5, 3).repeat(2, axis=0)[:10].repeat(2, axis=1)
        r, c = np.random.randint(0, 3), np.random.randint(0, 6)
        patch = g * np.random.randint(150, 235) + np.random.randint(0, 20, g.shape)
        images[i, r:r + 10, c:c + 6] = patch
    return images, labels


class GlyphDataset(Dataset):
    def __init__(self, images, labels, transform=None):
        self.images = images
        self.labels = labels
        self.transform = transform

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        img = self.images[i]
        if self.transform:
            img = self.transform(img)
        return torch.from_numpy(img).float().unsqueeze(0), int(self.labels[i])


def normalize(img):
    return (img / 255).astype(img.dtype)


class SmallCNN(nn.Module):
    def __init__(self, n_classes=10):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2))
        self.classifier = nn.Linear(32 * 9, n_classes)

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1))


def evaluate(model, loader):
    model.eval()
    hits = total = 0
    with torch.no_grad():
        for x, y in loader:
            hits += (model(x).argmax(1) == y).sum().item()
            total += len(y)
    return hits / total


train_loader = DataLoader(GlyphDataset(*render(1600), transform=normalize), batch_size=32, shuffle=True)
val_loader = DataLoader(GlyphDataset(*render(300), transform=normalize), batch_size=100)
model = SmallCNN()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
crit = nn.CrossEntropyLoss()
for epoch in range(8):
    model.train()
    losses = []
    for x, y in train_loader:
        loss = crit(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    print(f"epoch {epoch} loss {np.mean(losses):.4f} val acc {evaluate(model, val_loader):.3f}")
