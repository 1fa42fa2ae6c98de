import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def draw(n, seed):
    """Pictures of ten glyphs, each made of strokes, shifted and noisy."""
    strokes = np.random.default_rng(2024).integers(3, 13, (10, 4, 4))
    rng = np.random.default_rng(seed)
    images = rng.normal(0, 0.35, (n, 16, 16)).astype(np.float32)
    labels = rng.integers(0, 10, n)
    for image, label in zip(images, labels):
        dy, dx = rng.integers(-2, 3, 2)
        for y0, x0, y1, x1 in strokes[label]:
            for s in np.linspace(0, 1, 10):
                image[int(y0 + s * (y1 - y0)) + dy, int(x0 + s * (x1 - x0)) + dx] = 1.0
    return torch.from_numpy(images).unsqueeze(1), torch.from_numpy(labels)


class GlyphNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.conv2 = nn.Conv2d(8, 16, 3, padding=1)
        self.fc1 = nn.Linear(16 * 4 * 4, 64)
        self.fc2 = nn.Linear(64, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.fc2(F.relu(self.fc1(x.flatten(1))))


def batches(x, y, size):
    order = torch.randperm(len(x))
    for k in range(0, len(x), size):
        yield x[order[k:k + size]], y[order[k:k + size]]


def train(model, x, y, x_test, y_test, epochs, batch_size, lr):
    opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
    for epoch in range(epochs):
        total = 0.0
        for xb, yb in batches(x, y, batch_size):
            opt.zero_grad()
            loss = F.cross_entropy(model(xb), yb)
            loss.backward()
            opt.step()
            total += float(loss) * len(xb)
        with torch.no_grad():
            acc = (model(x_test).argmax(1) == y_test).float().mean()
        print(f"epoch {epoch}: loss {total / len(x):.3f} test acc {acc:.3f}")


if __name__ == "__main__":
    torch.manual_seed(3)
    x, y = draw(4000, seed=0)
    x_test, y_test = draw(500, seed=1)
    net = GlyphNet()
    t0 = time.time()
    train(net, x, y, x_test, y_test, epochs=6, batch_size=2, lr=0.001)
    print(f"{time.time() - t0:.1f} s for training")
