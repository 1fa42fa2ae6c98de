"""Grades coins from scans that are stored as compressed arrays; a scan is unpacked once and then kept."""
import os
import tempfile
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


def mint(folder, n, rng):
    yy, xx = np.mgrid[-1:1:96j, -1:1:96j]
    radius = np.hypot(xx, yy)
    grades = rng.integers(0, 5, n)
    for i, grade in enumerate(grades):
        coin = (radius < 0.9) * 0.6 + 0.3 * np.exp(-((radius - 0.85) ** 2) / 0.001)
        relief = np.sin(9 * np.arctan2(yy, xx) + rng.uniform(0, 6.28)) * np.exp(-((radius - 0.5) ** 2) / 0.02)
        wear = 0.9 - 0.2 * grade
        scan = coin + 0.3 * wear * relief + 0.05 * rng.standard_normal(coin.shape)
        np.savez_compressed(os.path.join(folder, f"coin_{i:04d}.npz"), scan=(scan.clip(0, 1.3) * 190).astype(np.uint8), grade=grade)


class Coins(Dataset):
    def __init__(self, folder, names):
        self.paths = [os.path.join(folder, n) for n in names]
        self.kept = [None] * len(names)

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        if self.kept[i] is None:
            with np.load(self.paths[i]) as f:
                scan = torch.from_numpy(f["scan"]).float().div_(255)[None, None]
                grade = int(f["grade"])
            self.kept[i] = F.interpolate(scan, size=(64, 64), mode="area")[0], grade
        return self.kept[i]


class CoinNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, 24, 5, stride=2, padding=2), nn.BatchNorm2d(24), nn.ReLU(),
            nn.Conv2d(24, 48, 3, padding=1), nn.BatchNorm2d(48), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(48, 96, 3, padding=1), nn.BatchNorm2d(96), nn.ReLU(), nn.AdaptiveAvgPool2d(2),
            nn.Flatten(), nn.Linear(384, 5),
        )

    def forward(self, x):
        return self.net(x)


def main():
    torch.manual_seed(1)
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        mint(folder, 1400, rng)
        names = sorted(os.listdir(folder))
        train = DataLoader(Coins(folder, names[:1280]), batch_size=64, shuffle=True)
        test = DataLoader(Coins(folder, names[1280:]), batch_size=120)
        model = CoinNet()
        optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
        criterion = nn.CrossEntropyLoss()
        start = time.time()
        for epoch in range(6):
            model.train()
            total = 0.0
            for scans, grades in train:
                optimizer.zero_grad()
                loss = criterion(model(scans), grades)
                loss.backward()
                optimizer.step()
                total += loss.item()
            model.eval()
            with torch.no_grad():
                right = sum((model(x).argmax(1) == y).sum().item() for x, y in test)
            print(f"epoch {epoch}: loss {total / len(train):.3f}, {right / len(test.dataset):.1%}, {time.time() - start:.1f} s")


if __name__ == "__main__":
    main()
