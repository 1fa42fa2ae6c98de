"""Sorts grain kernels into four varieties; the pictures are turned and scaled at random."""
import time

import numpy as np
import torch
import torch.nn as nn
from scipy import ndimage
from torch.utils.data import DataLoader, Dataset

ROTATE = 25
ZOOM = (0.85, 1.2)
SPLINE_ORDER = 5
EPOCHS = 4


def kernels(n, rng):
    yy, xx = np.mgrid[-1:1:48j, -1:1:48j]
    label = rng.integers(0, 4, n)
    out = np.empty((n, 48, 48), np.float32)
    for i, k in enumerate(label):
        a, b = [(0.75, 0.35), (0.6, 0.4), (0.75, 0.45), (0.55, 0.5)][k] + 0.04 * rng.standard_normal(2)
        body = 1 / (1 + np.exp(12 * ((xx / a) ** 2 + (yy / b) ** 2 - 1)))
        crease = np.exp(-((yy - 0.1 * np.sin(3 * xx)) ** 2) / (0.002 + 0.002 * (k % 2)))
        out[i] = body * (1 - 0.6 * crease) + 0.08 * rng.standard_normal((48, 48))
    return out, label


class KernelDataset(Dataset):
    def __init__(self, pictures, labels, augment=False):
        self.pictures = pictures
        self.labels = labels
        self.augment = augment
        self.rng = np.random.default_rng(0)

    def __len__(self):
        return len(self.pictures)

    def __getitem__(self, i):
        picture = self.pictures[i]
        if self.augment:
            turn = np.deg2rad(self.rng.uniform(-ROTATE, ROTATE))
            scale = 1 / self.rng.uniform(*ZOOM)
            c, s = np.cos(turn) * scale, np.sin(turn) * scale
            matrix = np.array([[c, -s], [s, c]])
            centre = np.array([23.5, 23.5])
            picture = ndimage.affine_transform(picture, matrix, centre - matrix @ centre, order=SPLINE_ORDER, mode="nearest")
            if self.rng.random() < 0.5:
                picture = picture[:, ::-1].copy()
        return torch.from_numpy(picture).unsqueeze(0), int(self.labels[i])


class KernelNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 24, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(24, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(3),
        )
        self.classifier = nn.Linear(64 * 9, 4)

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1))


def evaluate(model, loader):
    model.eval()
    right = 0
    with torch.no_grad():
        for x, y in loader:
            right += (model(x).argmax(1) == y).sum().item()
    model.train()
    return right / len(loader.dataset)


def main():
    torch.manual_seed(6)
    rng = np.random.default_rng(6)
    train = KernelDataset(*kernels(4000, rng), augment=True)
    test = KernelDataset(*kernels(400, rng))
    train_loader = DataLoader(train, batch_size=64, shuffle=True)
    test_loader = DataLoader(test, batch_size=200)
    model = KernelNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    criterion = nn.CrossEntropyLoss()
    t = time.time()
    for epoch in range(EPOCHS):
        total = 0.0
        for x, y in train_loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"[{epoch + 1}/{EPOCHS}] loss {total / len(train_loader):.4f} accuracy {evaluate(model, test_loader):.3f} time {time.time() - t:.1f}")


if __name__ == "__main__":
    main()
