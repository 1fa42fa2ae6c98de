# fault: broadcast-targets
# cause_class: loss, labels, structure
# family: timeseries
# split: held
# quantile forecast of a synthetic electricity load, dilated causal convolutions
import math
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, Subset

torch.manual_seed(int(os.environ.get("SEED", "0")))
QUANTILES = (0.1, 0.5, 0.9)


def load_curve(hours=3000):
    t = torch.arange(hours).float()
    daily = torch.sin(2 * math.pi * t / 24) + 0.4 * torch.sin(4 * math.pi * t / 24 + 1)
    weekly = 0.5 * torch.cos(2 * math.pi * t / 168)
    e, ar = torch.randn(hours) * 0.15, torch.zeros(hours)
    for i in range(1, hours):
        ar[i] = 0.8 * ar[i - 1] + e[i]
    return daily + weekly + ar


class Windows(Dataset):
    def __init__(self, series, lookback=48):
        self.s, self.lb = series, lookback

    def __len__(self):
        return len(self.s) - self.lb

    def __getitem__(self, i):
        return self.s[i:i + self.lb], self.s[i + self.lb]


class CausalConv(nn.Conv1d):
    def forward(self, x):
        pad = (self.kernel_size[0] - 1) * self.dilation[0]
        return super().forward(F.pad(x, (pad, 0)))


class TCN(nn.Module):
    def __init__(self, ch=24, levels=4):
        super().__init__()
        self.inp = nn.Conv1d(1, ch, 1)
        self.convs = nn.ModuleList(CausalConv(ch, ch, 3, dilation=2 ** i) for i in range(levels))
        self.head = nn.Linear(ch, len(QUANTILES))

    def forward(self, x):
        h = self.inp(x.unsqueeze(1))
        for c in self.convs:
            h = h + F.relu(c(h))
        return self.head(h[:, :, -1])


class PinballLoss(nn.Module):
    def __init__(self, quantiles):
        super().__init__()
        self.quantiles = quantiles

    def forward(self, pred, target):
        loss = 0.0
        for i, q in enumerate(self.quantiles):
            err = target - pred[:, i:i + 1]
            loss = loss + torch.maximum(q * err, (q - 1) * err).mean()
        return loss / len(self.quantiles)


def main():
    s = load_curve()
    s = (s - s[:2400].mean()) / s[:2400].std()
    ds = Windows(s)
    tr = DataLoader(Subset(ds, range(0, 2300)), batch_size=64, shuffle=True)
    te = DataLoader(Subset(ds, range(2400, len(ds))), batch_size=256)
    net, crit = TCN(), PinballLoss(QUANTILES)
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    sched = torch.optim.lr_scheduler.StepLR(opt, 5, 0.5)
    for epoch in range(10):
        net.train()
        tot = 0.0
        for x, y in tr:
            loss = crit(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            tot += loss.item() / len(tr)
        sched.step()
        net.eval()
        with torch.no_grad():
            mae = sum((net(x)[:, 1] - y).abs().sum().item() for x, y in te) / len(te.dataset)
        print(f"epoch {epoch:2d} pinball {tot:.4f} median mae {mae:.4f}")


main()
