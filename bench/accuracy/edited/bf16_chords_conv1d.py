# fault: none
# family: audio
# split: held
# set: heron, unseen
# metric: accuracy higher
# baseline: 0.3
# reaches: 0.8
# Unusual: bfloat16 autocast on CPU, raw waveforms with amplitude 1e-3, InstanceNorm takes out the loudness; noise is louder than the tones
import os

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)


class Chords(Dataset):
    """major / minor / diminished triads on a random root, 256 samples at 2 kHz"""

    INTERVALS = [(0, 4, 7), (0, 3, 7), (0, 3, 6), (0, 5, 7)]

    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        t = np.arange(256) / 2000
        self.kind = rng.integers(0, 4, n)
        root = 220 * 2 ** (rng.integers(0, 3, n) / 12)
        wave = rng.normal(0, 1.6, (n, 256))
        for j in range(3):
            step = np.array([self.INTERVALS[k][j] for k in self.kind])
            f = root * 2 ** (step / 12)
            wave += np.sin(2 * np.pi * f[:, None] * t + rng.uniform(0, 2 * np.pi, (n, 1))) * rng.uniform(0.7, 1.3, (n, 1))
        wave *= 1e-3 * rng.lognormal(0, 0.7, (n, 1))
        self.wave = torch.tensor(wave[:, None], dtype=torch.float32)

    def __len__(self):
        return len(self.kind)

    def __getitem__(self, i):
        return self.wave[i], int(self.kind[i])


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.InstanceNorm1d(1, eps=1e-12)
        self.bank = nn.Conv1d(1, 64, 128, stride=8)
        self.head = nn.Sequential(nn.LayerNorm(64), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))

    def forward(self, x):
        energy = self.bank(self.norm(x)).float().square().mean(2)
        return self.head(torch.log(energy + 1e-3))


train = DataLoader(Chords(3000, SEED), batch_size=50, shuffle=True)
test = DataLoader(Chords(800, SEED + 10_000), batch_size=200)
net = Net()
opt = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=0.01)


def accuracy():
    net.eval()
    hits = 0
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        for x, k in test:
            hits += (net(x).argmax(1) == k).sum().item()
    net.train()
    return hits / len(test.dataset)


for epoch in range(8):
    for x, k in train:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = net(x)
        loss = nn.functional.cross_entropy(logits.float(), k)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"epoch {epoch} last loss {loss.item():.4f} accuracy {accuracy():.4f}")
print(f"result: accuracy {accuracy():.4f}")
