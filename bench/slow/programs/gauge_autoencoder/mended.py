"""Learns what pictures of a round pressure gauge look like; odd ones are told by their reconstruction error."""
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

SIZE = 48
BATCH = 64


def draw_gauges(n, rng):
    yy, xx = np.mgrid[0:SIZE, 0:SIZE].astype(np.float32)
    yy, xx = yy - SIZE / 2 + 0.5, xx - SIZE / 2 + 0.5
    radius = np.hypot(yy, xx)
    angle = np.arctan2(yy, xx)
    pictures = np.empty((n, 1, SIZE, SIZE), np.float32)
    for i in range(n):
        reading = rng.uniform(-2.4, 2.4)
        dial = np.exp(-((radius - 19) ** 2) / 3)
        away = np.abs(np.angle(np.exp(1j * (angle - reading))))
        needle = np.exp(-((radius * away) ** 2) / 4) * (radius < 17)
        pictures[i, 0] = np.clip(dial + needle + 0.05 * rng.standard_normal((SIZE, SIZE)), 0, 1)
    return torch.from_numpy(pictures)


class AutoEncoder(nn.Module):
    def __init__(self, latent=16):
        super().__init__()
        self.encode = nn.Sequential(
            nn.Conv2d(1, 32, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(32, 64, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(64, 96, 3, stride=2, padding=1), nn.ReLU(),
            nn.Flatten(), nn.Linear(96 * 36, latent),
        )
        self.decode = nn.Sequential(
            nn.Linear(latent, 96 * 36), nn.ReLU(), nn.Unflatten(1, (96, 6, 6)),
            nn.ConvTranspose2d(96, 64, 4, stride=2, padding=1), nn.ReLU(),
            nn.ConvTranspose2d(64, 32, 4, stride=2, padding=1), nn.ReLU(),
            nn.ConvTranspose2d(32, 1, 4, stride=2, padding=1), nn.Sigmoid(),
        )

    def forward(self, x):
        return self.decode(self.encode(x))


rng = np.random.default_rng(5)
torch.manual_seed(5)
pictures = draw_gauges(2240, rng)
check = draw_gauges(256, rng)

net = AutoEncoder()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
start = time.time()
for epoch in range(5):
    order = torch.randperm(len(pictures))
    total = 0.0
    for i in range(0, len(order), BATCH):
        x = pictures[order[i : i + BATCH]]
        optimizer.zero_grad()
        loss = F.mse_loss(net(x), x)
        loss.backward()
        optimizer.step()
        total += loss.item()
    with torch.no_grad():
        error = F.mse_loss(net(check), check).item()
    print(f"epoch {epoch + 1}  loss {total * BATCH / len(order):.5f}  check {error:.5f}")
print(f"finished after {time.time() - start:.1f} s")
