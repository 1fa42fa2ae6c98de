"""Healthy or sick? Small photos of leaves, augmented on the fly."""
import random
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

SIDE = 32
CLASSES = ["healthy", "rust", "mildew"]


def draw_leaves(root, per_class=320):
    rng = np.random.default_rng(11)
    yy, xx = np.mgrid[0:SIDE, 0:SIDE]
    for c, name in enumerate(CLASSES):
        (root / name).mkdir()
        for i in range(per_class):
            image = np.full((SIDE, SIDE, 3), (60, 130, 50), dtype=np.float32)
            for _ in range(rng.integers(2, 6)):
                cy, cx, r = rng.integers(4, SIDE - 4), rng.integers(4, SIDE - 4), rng.uniform(1.5, 3.5)
                spot = np.exp(-((yy - cy) ** 2 + (xx - cx) ** 2) / (2 * r * r))[..., None]
                image += spot * np.array([(-20, 25, -10), (70, -30, -20), (60, 50, 70)][c])
            image += rng.normal(0, 18, image.shape)
            np.save(root / name / f"{i:04d}.npy", image.clip(0, 255).astype(np.uint8))


class Jitter:
    """Another brightness and contrast for each picture, grain for each pixel."""

    def __init__(self, brightness=0.2, contrast=0.2, grain=6.0):
        self.brightness, self.contrast, self.grain = brightness, contrast, grain

    def __call__(self, image):
        b = 1 + random.uniform(-self.brightness, self.brightness)
        c = 1 + random.uniform(-self.contrast, self.contrast)
        out = np.zeros_like(image)
        for y in range(image.shape[0]):
            for x in range(image.shape[1]):
                for k in range(image.shape[2]):
                    v = (float(image[y, x, k]) - 128) * c + 128 * b + random.gauss(0, self.grain)
                    out[y, x, k] = min(255, max(0, int(v)))
        return out


class Flip:
    def __call__(self, image):
        return image[:, ::-1] if random.random() < 0.5 else image


class ToTensor:
    def __call__(self, image):
        return (torch.from_numpy(np.ascontiguousarray(image)).permute(2, 0, 1).float() / 255 - 0.4) / 0.2


class Leaves(Dataset):
    def __init__(self, root, transforms):
        self.files = sorted(root.glob("*/*.npy"))
        self.transforms = transforms

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        image = np.load(self.files[i])
        for t in self.transforms:
            image = t(image)
        return image, CLASSES.index(self.files[i].parent.name)


def block(a, b):
    return nn.Sequential(nn.Conv2d(a, b, 3, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU(inplace=True), nn.MaxPool2d(2))


def main():
    random.seed(0)
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as tmp:
        root = Path(tmp)
        draw_leaves(root)
        loader = DataLoader(Leaves(root, [Flip(), Jitter(), ToTensor()]), batch_size=32, shuffle=True, drop_last=True, num_workers=2, persistent_workers=True)
        net = nn.Sequential(block(3, 24), block(24, 48), block(48, 64), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 3))
        optimizer = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9, weight_decay=1e-4)
        loss_fn = nn.CrossEntropyLoss()
        start = time.time()
        for epoch in range(7):
            seen = right = 0
            for images, labels in loader:
                logits = net(images)
                loss = loss_fn(logits, labels)
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()
                seen += len(labels)
                right += int((logits.argmax(dim=1) == labels).sum())
            print(f"epoch {epoch}: last loss {loss.item():.3f}, accuracy {right / seen:.3f}")
        print(f"time for training: {time.time() - start:.2f} s")


if __name__ == "__main__":
    main()
