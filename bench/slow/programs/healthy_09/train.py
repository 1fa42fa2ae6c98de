"""Self-made pictures of road signs, disturbed by two loader processes while the network learns."""
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

SIZE = 48


class Signs(Dataset):
    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        self.labels = rng.integers(0, 6, n)
        yy, xx = np.mgrid[-1:1:48j, -1:1:48j]
        shapes = [
            np.hypot(xx, yy) < 0.7,
            np.maximum(abs(xx), abs(yy)) < 0.6,
            abs(xx) + abs(yy) < 0.8,
            (yy < 0.5) & (yy > -0.7 + 2 * abs(xx) - 0.2),
            (yy > -0.5) & (yy < 0.7 - 2 * abs(xx) + 0.2),
            np.maximum(abs(xx) * 0.87 + abs(yy) * 0.5, abs(yy)) < 0.65,
        ]
        self.images = np.stack([(s[None] * np.array([0.9, 0.2, 0.2])[:, None, None] + 0.2) for s in shapes]).astype(np.float32)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        rng = np.random.default_rng(np.random.randint(2**31))
        image = self.images[self.labels[i]].copy()
        image = np.roll(image, rng.integers(-6, 7, 2), axis=(1, 2))
        if rng.random() < 0.5:
            top, left = rng.integers(0, SIZE - 12, 2)
            image[:, top : top + 12, left : left + 12] = rng.random()
        image = image * rng.uniform(0.5, 1.3) + rng.normal(0, 0.15, image.shape)
        if rng.random() < 0.3:
            image = (image + np.roll(image, 1, 1) + np.roll(image, -1, 1)) / 3
        return torch.from_numpy(image.astype(np.float32)), int(self.labels[i])


def build():
    return nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(),
        nn.Conv2d(32, 48, 3, stride=2, padding=1), nn.BatchNorm2d(48), nn.ReLU(),
        nn.Conv2d(48, 96, 3, stride=2, padding=1), nn.BatchNorm2d(96), nn.ReLU(),
        nn.Conv2d(96, 96, 3, padding=1), nn.BatchNorm2d(96), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(96, 6),
    )


if __name__ == "__main__":
    torch.manual_seed(4)
    loader = DataLoader(Signs(2048, 4), batch_size=64, shuffle=True, num_workers=2, persistent_workers=True, prefetch_factor=4)
    model = build()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    start = time.time()
    for epoch in range(4):
        right = 0
        for images, labels in loader:
            out = model(images)
            loss = F.cross_entropy(out, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            right += (out.argmax(1) == labels).sum().item()
        print(f"epoch {epoch}: loss {loss.item():.4f} accuracy {right / 2048:.3f} {time.time() - start:.1f} s")
