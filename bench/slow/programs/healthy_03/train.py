"""Counts people in thermal pictures."""
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Thermal(Dataset):
    """Warm bodies of several pixels on a floor whose warmth changes slowly over the picture."""

    def __init__(self, n, seed):
        self.n, self.seed = n, seed
        self.yy, self.xx = np.mgrid[0:40, 0:40].astype(np.float32)

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        rng = np.random.default_rng((self.seed, i))
        people = int(rng.integers(0, 9))
        picture = 0.3 * np.sin(self.xx / 20 + rng.uniform(0, 6)) + 0.1 * rng.standard_normal((40, 40), dtype=np.float32)
        for _ in range(people):
            cy, cx = rng.uniform(3, 37, 2)
            picture += np.exp(-((self.yy - cy) ** 2 + (self.xx - cx) ** 2) / 6)
        return torch.from_numpy(picture.astype(np.float32)).unsqueeze(0), torch.tensor(float(people))


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        layers, c = [], 1
        for width in (32, 48, 64):
            layers += [nn.Conv2d(c, width, 3, padding=1), nn.ReLU(), nn.Conv2d(width, width, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
            c = width
        self.body = nn.Sequential(*layers)
        self.density = nn.Conv2d(c, 1, 1)

    def forward(self, x):
        return self.density(self.body(x)).sum((1, 2, 3))


def main():
    torch.manual_seed(17)
    loader = DataLoader(Thermal(1920, 0), batch_size=48, shuffle=True, num_workers=1, persistent_workers=True)
    model = Counter()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-4)
    start = time.time()
    for epoch in range(4):
        error = 0.0
        for x, people in loader:
            guess = model(x)
            loss = nn.functional.smooth_l1_loss(guess, people)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            error += (guess.detach() - people).abs().sum().item()
        print(f"epoch {epoch + 1}: off by {error / 1920:.2f} people, {time.time() - start:.1f} s")


if __name__ == "__main__":
    main()
