"""Finds streets in tiles cut from large aerial pictures that lie on disk as compressed arrays."""
import os
import tempfile
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

TILE = 64
SIDE = 512


def paint(folder, count, rng):
    """Fields in shades of green with straight grey streets; the second array says where the streets are."""
    yy, xx = np.mgrid[0:SIDE, 0:SIDE].astype(np.float32)
    for k in range(count):
        picture = np.full((SIDE, SIDE, 3), (70, 120, 60), np.float32)
        street = np.zeros((SIDE, SIDE), bool)
        for _ in range(9):
            angle, offset = rng.uniform(0, np.pi), rng.uniform(-150, 450)
            street |= np.abs(np.cos(angle) * xx + np.sin(angle) * yy - offset) < rng.uniform(2, 6)
        picture[street] = (120, 118, 115)
        picture += rng.normal(0, 12, picture.shape)
        np.savez_compressed(os.path.join(folder, f"{k:03d}.npz"), picture=picture.clip(0, 255).astype(np.uint8), street=street)


class Tiles(Dataset):
    """`length` tiles at random places, turned at random; a tile that was made once need not be cut again."""

    def __init__(self, folder, length, seed):
        self.rng = np.random.default_rng(seed)
        self.length = length
        self.pictures = []
        for name in sorted(os.listdir(folder)):
            with np.load(os.path.join(folder, name)) as f:
                self.pictures.append((f["picture"], f["street"]))
        self.cache = {}

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        k = int(self.rng.integers(len(self.pictures)))
        top, left = (int(v) for v in self.rng.integers(0, SIDE - TILE, 2))
        turn = int(self.rng.integers(4))
        key = (k, top, left, turn)
        if key not in self.cache:
            picture, street = self.pictures[k]
            x = np.rot90(picture[top : top + TILE, left : left + TILE], turn)
            y = np.rot90(street[top : top + TILE, left : left + TILE], turn)
            x = (x.astype(np.float32) / 255 - 0.45) / 0.2
            self.cache[key] = (torch.from_numpy(x.transpose(2, 0, 1).copy()), torch.from_numpy(y.astype(np.float32)))
        return self.cache[key]


class StreetNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down1 = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1), nn.ReLU())
        self.down2 = nn.Sequential(nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(16, 16, 3, padding=1), nn.ReLU())
        self.up = nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.out = nn.Sequential(nn.Conv2d(16, 8, 3, padding=1), nn.ReLU(), nn.ConvTranspose2d(8, 1, 2, stride=2))

    def forward(self, x):
        a = self.down1(x)
        b = self.up(self.down2(a))
        return self.out(torch.cat([a, b], 1)).squeeze(1)


def train(folder):
    loader = DataLoader(Tiles(folder, 4096, seed=13), batch_size=32, shuffle=True)
    model = StreetNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    start = time.time()
    for epoch in range(6):
        losses = []
        for x, y in loader:
            loss = F.binary_cross_entropy_with_logits(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        print(f"epoch {epoch}: loss {np.mean(losses):.4f}, {time.time() - start:.1f} s", flush=True)


if __name__ == "__main__":
    torch.manual_seed(13)
    with tempfile.TemporaryDirectory() as folder:
        paint(folder, 12, np.random.default_rng(13))
        train(folder)
