# fault: init-too-small
# cause_class: initialisation
# family: forecasting
# split: held
import os
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


@dataclass(frozen=True)
class Config:
    channels: int = 16
    blocks: int = 4
    kernel: int = 3
    window: int = 32
    init_std: float = 1e-3
    lr: float = 1e-3
    batch: int = 64
    epochs: int = 4


class CausalConv(nn.Module):
    def __init__(self, cin, cout, kernel, dilation):
        super().__init__()
        self.pad = (kernel - 1) * dilation
        self.conv = nn.Conv1d(cin, cout, kernel, dilation=dilation)

    def forward(self, x):
        return F.relu(self.conv(F.pad(x, (self.pad, 0))))


class TCN(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        chans = [1] + [cfg.channels] * cfg.blocks
        self.layers = nn.Sequential(*[CausalConv(a, b, cfg.kernel, 2 ** k)
                                      for k, (a, b) in enumerate(zip(chans, chans[1:]))])
        self.readout = nn.Linear(cfg.channels, 1)
        for m in self.modules():
            if isinstance(m, (nn.Conv1d, nn.Linear)):
                nn.init.normal_(m.weight, mean=0.0, std=cfg.init_std)
                nn.init.zeros_(m.bias)

    def forward(self, x):
        return self.readout(self.layers(x)[:, :, -1]).squeeze(-1)


class Meter(Dataset):
    def __init__(self, values, window):
        self.values, self.window = values, window

    def __len__(self):
        return len(self.values) - self.window

    def __getitem__(self, i):
        return self.values[None, i:i + self.window], self.values[i + self.window]


def simulate(n):
    t = torch.arange(n).float()
    v = torch.sin(t / 3.8) + 0.6 * torch.sin(t / 11.0 + 1) + 0.1 * torch.randn(n)
    return (v - v.mean()) / v.std()


def run(cfg=Config()):
    torch.manual_seed(int(os.environ.get("SEED", "0")))
    v = simulate(3600)
    train = DataLoader(Meter(v[:3000], cfg.window), cfg.batch, shuffle=True, drop_last=True)
    valid = DataLoader(Meter(v[3000:], cfg.window), 284)
    net = TCN(cfg)
    opt = torch.optim.Adam(net.parameters(), lr=cfg.lr)
    for epoch in range(cfg.epochs):
        net.train()
        acc = 0.0
        for x, y in train:
            loss = F.mse_loss(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            acc += loss.item()
        net.eval()
        with torch.no_grad():
            val = sum(F.mse_loss(net(x), y).item() for x, y in valid) / len(valid)
        print(f"epoch {epoch}: train mse {acc / len(train):.4f} valid mse {val:.4f}")


run()
