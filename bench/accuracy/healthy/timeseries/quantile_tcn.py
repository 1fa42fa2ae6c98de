# fault: none
# family: timeseries
# split: tune
# needs: numpy
"""Dilated causal convolutions that forecast three quantiles (pinball loss)."""
import os
from dataclasses import dataclass
import numpy as np
import torch
from torch import nn
import torch.nn.functional as F


@dataclass
class Cfg:
    window: int = 48
    channels: int = 16
    lr: float = 3e-3
    batch: int = 64
    epochs: int = 6
    quantiles: tuple = (0.1, 0.5, 0.9)


class CausalConv(nn.Module):
    def __init__(self, i, o, dilation):
        super().__init__()
        self.pad = 2 * dilation
        self.conv = nn.utils.parametrizations.weight_norm(nn.Conv1d(i, o, 3, dilation=dilation))
        self.skip = nn.Conv1d(i, o, 1) if i != o else nn.Identity()

    def forward(self, x):
        return F.relu(self.conv(F.pad(x, (self.pad, 0)))) + self.skip(x)


class TCN(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        c = cfg.channels
        self.net = nn.Sequential(CausalConv(1, c, 1), CausalConv(c, c, 2), CausalConv(c, c, 4), CausalConv(c, c, 8))
        self.out = nn.Linear(c, len(cfg.quantiles))

    def forward(self, x):
        return self.out(self.net(x[:, None])[:, :, -1])


def pinball(pred, y, q):
    e = y[:, None] - pred
    return torch.maximum(q * e, (q - 1) * e).mean()


def main():
    cfg = Cfg()
    seed = int(os.environ.get("SEED", 0))
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    t = np.arange(2600)
    level = np.sin(2 * np.pi * t / 24) + 0.5 * np.sin(2 * np.pi * t / 168)
    s = level + (0.1 + 0.2 * (level > 0)) * rng.normal(size=len(t))
    s = torch.tensor((s - s[:2000].mean()) / s[:2000].std(), dtype=torch.float32)
    win = s.unfold(0, cfg.window + 1, 1)
    train, test = win[:1900], win[2000:]
    q = torch.tensor(cfg.quantiles)
    net = TCN(cfg)
    opt = torch.optim.AdamW(net.parameters(), lr=cfg.lr)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=cfg.lr, total_steps=cfg.epochs * 30)
    for epoch in range(cfg.epochs):
        net.train()
        s_ = 0
        for idx in torch.randperm(1900).split(cfg.batch):
            b = train[idx]
            loss = pinball(net(b[:, :-1]), b[:, -1], q)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            s_ += loss.item()
        net.eval()
        with torch.no_grad():
            p = net(test[:, :-1])
            inside = ((test[:, -1] > p[:, 0]) & (test[:, -1] < p[:, 2])).float().mean()
            print(f"epoch {epoch} train {s_ / 30:.4f} test {pinball(p, test[:, -1], q):.4f} coverage {inside:.3f}")


main()
