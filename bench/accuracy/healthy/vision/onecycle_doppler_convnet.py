# fault: none
# family: vision
# split: held
# set: badger, unseen
# metric: accuracy higher
# baseline: 0.2
# reaches: 0.9
# Unusual: one-cycle SGD that climbs to a learning rate of 0.5 (BatchNorm in every layer); while it is high, accuracy in eval mode lags far behind the training loss; 4 epochs in all.
import os

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)
SEED = int(os.environ.get("SEED", 0))
np.random.seed(SEED)
torch.manual_seed(SEED)
F_BINS, T_BINS, CLASSES = 24, 24, 5


class MicroDoppler(Dataset):
    """Radar spectrograms of five movers: walker, runner, bird, drone, cart."""

    #        body speed, swing amplitude, swing cycles per window, number of limbs
    KINDS = [(5, 3, 1.5, 2), (9, 4, 2.5, 2), (6, 6, 4.0, 1), (2, 8, 7.0, 2), (7, 0, 1.0, 1)]

    def __init__(self, n, rng):
        self.y = rng.integers(0, CLASSES, n)
        t = np.linspace(0, 1, T_BINS)
        f = np.arange(F_BINS)[:, None] - F_BINS / 2
        self.x = np.empty((n, 1, F_BINS, T_BINS), np.float32)
        for i, k in enumerate(self.y):
            v, amp, cyc, limbs = self.KINDS[k]
            v = v * rng.uniform(0.7, 1.3) * rng.choice([-1, 1])
            s = np.exp(-((f - v) ** 2) / 2)
            ph = rng.uniform(0, 2 * np.pi)
            for l in range(limbs):
                track = v + amp * rng.uniform(0.7, 1.3) * np.sin(2 * np.pi * cyc * rng.uniform(0.9, 1.1) * t + ph + l * np.pi)
                s = s + 0.6 * np.exp(-((f - track) ** 2) / 1.5)
            power = s * rng.uniform(0.6, 1.4) + rng.exponential(0.35, s.shape)
            self.x[i, 0] = np.log(power + 0.02)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return torch.from_numpy(self.x[i]), int(self.y[i])


def conv(i, o, stride=1):
    return nn.Sequential(nn.Conv2d(i, o, 3, stride, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(conv(1, 16), conv(16, 24, 2), conv(24, 32, 2), conv(32, 32))
        self.head = nn.Linear(32, CLASSES)

    def forward(self, x):
        return self.head(self.body(x).mean((2, 3)))


rng = np.random.default_rng(SEED)
train, test = MicroDoppler(1600, rng), MicroDoppler(600, rng)
loader = DataLoader(train, batch_size=32, shuffle=True, drop_last=True, num_workers=0)
test_loader = DataLoader(test, batch_size=200, num_workers=0)

EPOCHS = 4
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-3)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=0.5, total_steps=EPOCHS * len(loader), pct_start=0.3)
crit = nn.CrossEntropyLoss()


def accuracy():
    net.eval()
    with torch.no_grad():
        hits = sum((net(x).argmax(1) == y).sum().item() for x, y in test_loader)
    net.train()
    return hits / len(test)


for epoch in range(EPOCHS):
    for i, (x, y) in enumerate(loader):
        opt.zero_grad(set_to_none=True)
        loss = crit(net(x), y)
        loss.backward()
        opt.step()
        sched.step()
        if i % 10 == 0:
            print(f"{epoch}.{i:02d} lr {sched.get_last_lr()[0]:.3f} loss {loss.item():.3f}")
    print(f"epoch {epoch} accuracy {accuracy():.3f}")

print("majority:", round(float((test.y == np.bincount(train.y).argmax()).mean()), 3))
print(f"result: accuracy {accuracy():.4f}")
