# fault: identical-batches
# cause_class: data-loading, overfit
# family: audio
# split: tune
import math
import os

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)


class Tones(Dataset):
    """Short clips of three kinds: rising, falling and steady tones; as log spectrograms."""

    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.y = torch.randint(0, 3, (n,), generator=g)
        t = torch.arange(512) / 512
        f0 = 30 + 60 * torch.rand(n, 1, generator=g)
        slope = torch.tensor([40.0, -25.0, 0.0])[self.y][:, None]
        wave = torch.sin(2 * math.pi * (f0 * t + 0.5 * slope * t ** 2)) + 0.7 * torch.randn(n, 512, generator=g)
        spec = torch.stft(wave, 64, hop_length=32, window=torch.hann_window(64), return_complex=True).abs()
        spec = (spec + 0.1).log()
        self.x = ((spec - spec.mean()) / spec.std())[:, None]

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class StepTrainer:
    """Trains for a number of steps rather than epochs."""

    def __init__(self, model, train, valid, lr=1e-3, batch_size=32):
        self.model, self.valid = model, valid
        self.loader = DataLoader(train, batch_size=batch_size)
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)
        self.crit = nn.CrossEntropyLoss()

    def next_batch(self):
        return next(iter(self.loader))

    def evaluate(self):
        self.model.eval()
        with torch.no_grad():
            out = self.model(self.valid.x)
            res = self.crit(out, self.valid.y).item(), (out.argmax(1) == self.valid.y).float().mean().item()
        self.model.train()
        return res

    def run(self, steps):
        self.model.train()
        for s in range(1, steps + 1):
            x, y = self.next_batch()
            loss = self.crit(self.model(x), y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            if s % 40 == 0:
                v, a = self.evaluate()
                print(f"step {s} loss {loss.item():.4f} valid {v:.4f} acc {a:.3f}")


net = nn.Sequential(nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(12, 24, 3, padding=1), nn.ReLU(),
                    nn.MaxPool2d(2), nn.Flatten(), nn.Linear(24 * 8 * 4, 3))
StepTrainer(net, Tones(1200, seed), Tones(300, seed + 1)).run(320)
