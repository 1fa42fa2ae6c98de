# Land cover from satellite tiles that lie in a bucket.
import time

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Bucket:
    """Stands in for the object store: an answer takes a round trip."""

    def __init__(self, n, seed):
        self.n, self.seed = n, seed

    def get(self, key):
        time.sleep(0.0022)
        rng = np.random.default_rng((self.seed, key))
        label = key % 4
        tile = rng.normal(0, 1, (3, 32, 32)).astype(np.float32)
        yy, xx = np.mgrid[0:32, 0:32] / 32
        wave = [np.sin(9 * xx), np.sin(9 * yy), np.sin(9 * (xx + yy)), np.sin(18 * xx)][label]
        tile += wave.astype(np.float32) * 0.25
        return tile, label


class Tiles(Dataset):
    def __init__(self, bucket, keys):
        self.bucket = bucket
        self.keys = keys

    def __len__(self):
        return len(self.keys)

    def __getitem__(self, i):
        tile, label = self.bucket.get(self.keys[i])
        return torch.from_numpy(tile), label


class Trainer:
    def __init__(self, model, train_loader, val_x, val_y, epochs, eval_every):
        self.model = model
        self.train_loader = train_loader
        self.val_x, self.val_y = val_x, val_y
        self.epochs = epochs
        self.eval_every = eval_every
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
        self.loss = nn.CrossEntropyLoss()
        self.step = 0

    @torch.no_grad()
    def evaluate(self):
        self.model.eval()
        right = 0
        for x, y in zip(self.val_x.split(128), self.val_y.split(128)):
            right += (self.model(x).argmax(1) == y).sum().item()
        self.model.train()
        return right / len(self.val_y)

    def fit(self):
        for _ in range(self.epochs):
            for x, y in self.train_loader:
                self.optimizer.zero_grad()
                loss = self.loss(self.model(x), y)
                loss.backward()
                self.optimizer.step()
                self.step += 1
                if self.step % self.eval_every == 0:
                    print(f"step {self.step} loss {loss.item():.3f} val acc {self.evaluate():.3f}", flush=True)


def build():
    return nn.Sequential(
        nn.Conv2d(3, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(12, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(24 * 8 * 8, 4),
    )


if __name__ == "__main__":
    torch.manual_seed(0)
    bucket = Bucket(6000, seed=1)
    val = Bucket(1000, seed=2)
    val_x = torch.stack([torch.from_numpy(val.get(k)[0]) for k in range(400)]).repeat(6, 1, 1, 1)
    val_y = (torch.arange(400) % 4).repeat(6)
    loader = DataLoader(Tiles(bucket, range(2560)), batch_size=16, shuffle=True, num_workers=2, prefetch_factor=16, persistent_workers=True)
    trainer = Trainer(build(), loader, val_x, val_y, epochs=3, eval_every=20)
    t0 = time.time()
    trainer.fit()
    print(f"fit: {time.time() - t0:.1f} s")
