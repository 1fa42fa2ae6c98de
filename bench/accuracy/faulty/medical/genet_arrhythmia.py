# fault: class-imbalance
# cause_class: imbalance
# family: medical
# split: tune
import os, random
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import Dataset, DataLoader

SEED = int(os.environ.get('SEED', 0))
random.seed(SEED); np.random.seed(SEED); torch.manual_seed(SEED)


class HolterBeats(Dataset):
    """Synthetic single-lead beats (64 samples). Label 1: premature ventricular beat (wide QRS, early)."""

    def __init__(self, n, prevalence=0.04):
        self.y = (np.random.rand(n) < prevalence).astype(np.float32)
        t = np.linspace(0, 1, 64)
        beats = []
        for lab in self.y:
            width = np.random.normal(0.030 + 0.014 * lab, 0.008)
            centre = np.random.normal(0.45 - 0.03 * lab, 0.03)
            amp = np.random.normal(1.0, 0.15)
            b = amp * np.exp(-((t - centre) / max(width, 0.01)) ** 2 / 2)
            b -= 0.25 * np.exp(-((t - centre - 0.07) / 0.03) ** 2)
            b += 0.2 * (1 - 0.5 * lab) * np.exp(-((t - centre - 0.25) / 0.05) ** 2)
            b += 0.15 * np.sin(2 * np.pi * (t * np.random.uniform(0.3, 1) + np.random.rand()))
            beats.append(b + 0.12 * np.random.randn(64))
        self.x = np.stack(beats).astype(np.float32)[:, None]

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class BeatNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(
            nn.Conv1d(1, 12, 7, padding=3), nn.BatchNorm1d(12), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(12, 16, 5, padding=2), nn.BatchNorm1d(16), nn.ReLU(), nn.AdaptiveAvgPool1d(4), nn.Flatten(),
            nn.Dropout(0.2), nn.Linear(64, 1))

    def forward(self, x):
        return self.f(x).squeeze(1)


train, val = HolterBeats(2500), HolterBeats(1500)
loader = DataLoader(train, batch_size=64, shuffle=True, drop_last=True)
net = BeatNet()
criterion = nn.BCEWithLogitsLoss()
opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-3)
xv, yv = torch.from_numpy(val.x), torch.from_numpy(val.y)
for epoch in range(7):
    net.train()
    acc = []
    for x, y in loader:
        opt.zero_grad()
        z = net(x)
        loss = criterion(z, y)
        loss.backward()
        opt.step()
        acc.append(((z > 0).float() == y).float().mean().item())
    net.eval()
    with torch.no_grad():
        p = (net(xv) > 0).float()
    sens = p[yv == 1].mean().item()
    spec = 1 - p[yv == 0].mean().item()
    print(f'epoch {epoch} loss {loss.item():.3f} train acc {np.mean(acc):.3f} | val acc {(p == yv).float().mean():.3f} '
          f'sensitivity {sens:.2f} specificity {spec:.2f} balanced {(sens + spec) / 2:.3f}')
