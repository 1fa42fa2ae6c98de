# fault: none
# family: timeseries
# split: tune
import os

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

SEED = int(os.environ.get("SEED", 0))
rng = np.random.default_rng(SEED)
torch.manual_seed(SEED)

t = np.arange(1400)
load = 5000 + 900 * np.sin(2 * np.pi * t / 24) + 400 * np.sin(2 * np.pi * t / 168) + rng.normal(0, 120, len(t))
cut = 1100
mean, std = load[:cut].mean(), load[:cut].std()
z = torch.tensor((load - mean) / std, dtype=torch.float32)


class Windows(Dataset):
    def __init__(self, z, look=48, ahead=6):
        self.z, self.look, self.ahead = z, look, ahead

    def __len__(self):
        return len(self.z) - self.look - self.ahead + 1

    def __getitem__(self, i):
        return self.z[None, i:i + self.look], self.z[i + self.look:i + self.look + self.ahead]


class Causal(nn.Module):
    def __init__(self, c, dilation):
        super().__init__()
        self.pad = 2 * dilation
        self.conv = nn.Conv1d(c, 2 * c, 3, dilation=dilation)
        self.mix = nn.Conv1d(c, c, 1)

    def forward(self, x):
        a, b = self.conv(F.pad(x, (self.pad, 0))).chunk(2, 1)
        return x + self.mix(torch.tanh(a) * torch.sigmoid(b))


class WaveNet(nn.Module):
    def __init__(self, c=16, ahead=6):
        super().__init__()
        self.inp = nn.Conv1d(1, c, 1)
        self.blocks = nn.Sequential(*[Causal(c, d) for d in (1, 2, 4, 8)])
        self.out = nn.Linear(c, ahead)

    def forward(self, x):
        return self.out(self.blocks(self.inp(x))[..., -1])


net = WaveNet()
opt = torch.optim.Adam(net.parameters(), lr=4e-3)
sched = torch.optim.lr_scheduler.MultiStepLR(opt, [4, 6], gamma=0.2)
tr, va = Windows(z[:cut]), Windows(z[cut:])
for epoch in range(8):
    net.train()
    s = []
    for x, y in DataLoader(tr, 64, shuffle=True):
        loss = F.smooth_l1_loss(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        s.append(loss.item())
    sched.step()
    net.eval()
    with torch.no_grad():
        x, y = next(iter(DataLoader(va, len(va))))
        mae = (net(x) - y).abs().mean().item() * std
    print(f"epoch {epoch} loss {np.mean(s):.4f} mean error {mae:.0f} MW of a spread of {std:.0f}")
