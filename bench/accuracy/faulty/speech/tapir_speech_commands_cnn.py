# fault: running-statistics
# cause_class: eval-mode, structure
# family: speech
# split: held
"""Keyword spotting on synthetic chirps; architecture ported from the Keras version."""
import math
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))
RATE, SECONDS, WORDS = 800, 0.64, 5
WIN = 64


def waves(n):
    y = torch.randint(0, WORDS, (n,))
    t = torch.arange(int(RATE * SECONDS)) / RATE
    f0 = 60 + 45 * y[:, None] + 10 * torch.randn(n, 1)
    slope = torch.where(y % 2 == 0, 60.0, -60.0)[:, None]
    ph = 2 * math.pi * (f0 * t + slope * t * t / 2)
    return torch.sin(ph) * (0.5 + torch.rand(n, 1)) + 0.4 * torch.randn(n, len(t)), y


def log_spectrogram(w):
    s = torch.stft(w, WIN, WIN // 2, window=torch.hann_window(WIN), return_complex=True).abs()
    return torch.log(s + 1e-2)[:, None]


def conv_bn(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, stride=2, padding=1, bias=False),
                         nn.BatchNorm2d(o, eps=1e-3, momentum=0.001), nn.ReLU())


class KWS(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(conv_bn(1, 8), conv_bn(8, 16), conv_bn(16, 24))
        self.head = nn.Linear(24, WORDS)

    def forward(self, x):
        return self.head(self.features(x).mean((2, 3)))


xtr, ytr = waves(960)
xva, yva = waves(240)
xtr, xva = log_spectrogram(xtr), log_spectrogram(xva)
loader = DataLoader(TensorDataset(xtr, ytr), batch_size=48, shuffle=True)
net = KWS()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
ce = nn.CrossEntropyLoss()
for epoch in range(8):
    net.train()
    tl = ta = 0.0
    for x, y in loader:
        out = net(x)
        loss = ce(out, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        tl += loss.item() / len(loader)
        ta += (out.argmax(1) == y).float().mean().item() / len(loader)
    net.eval()
    with torch.no_grad():
        out = net(xva)
        print(f"epoch {epoch} train {tl:.3f}/{ta:.3f} val {ce(out, yva).item():.3f}/{(out.argmax(1) == yva).float().mean().item():.3f}")
