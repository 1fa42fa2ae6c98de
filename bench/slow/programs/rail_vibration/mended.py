"""Wear of a rail from the vibration of passing trains: regression with a small residual network."""
import argparse
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=900)
parser.add_argument("--batch", type=int, default=48)
parser.add_argument("--channels", type=int, default=24)
parser.add_argument("--detect-anomaly", action=argparse.BooleanOptionalAction, default=False)
args = parser.parse_args()

torch.manual_seed(99)
torch.autograd.set_detect_anomaly(args.detect_anomaly)


def vibration(n, length=128):
    wear = torch.rand(n)
    t = torch.linspace(0, 1, length)
    speed = 18 + 6 * torch.rand(n, 1)
    wave = torch.sin(6.28 * speed * t) + wear[:, None] * torch.sin(6.28 * 2.7 * speed * t + 6.28 * torch.rand(n, 1))
    knocks = (torch.rand(n, length) < 0.02).float() * wear[:, None] * 2
    return (wave + knocks + 0.3 * torch.randn(n, length)).unsqueeze(1), wear


class Residual(nn.Module):
    def __init__(self, c, dilation):
        super().__init__()
        self.norm1 = nn.GroupNorm(4, c)
        self.conv1 = nn.Conv1d(c, c, 3, padding=dilation, dilation=dilation)
        self.norm2 = nn.GroupNorm(4, c)
        self.conv2 = nn.Conv1d(c, c, 3, padding=dilation, dilation=dilation)
        self.gain = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        h = self.conv1(F.silu(self.norm1(x)))
        h = self.conv2(F.silu(self.norm2(h)))
        return x + self.gain * h


class WearNet(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.stem = nn.Conv1d(1, c, 9, stride=2, padding=4)
        self.blocks = nn.ModuleList(Residual(c, d) for d in (1, 2, 4, 8))
        self.out = nn.Linear(2 * c, 1)

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return self.out(torch.cat([x.mean(-1), x.std(-1)], 1)).squeeze(1)


signals, wear = vibration(8192)
test_signals, test_wear = vibration(512)
model = WearNet(args.channels)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, total_steps=args.steps)
start = time.time()
for step in range(1, args.steps + 1):
    idx = torch.randint(len(signals), (args.batch,))
    loss = F.mse_loss(model(signals[idx]), wear[idx])
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    schedule.step()
    if step % 100 == 0:
        model.eval()
        with torch.no_grad():
            mae = (model(test_signals) - test_wear).abs().mean().item()
        model.train()
        print(f"{step:5d} | loss {loss.item():.5f} | test mae {mae:.4f} | {time.time() - start:6.1f} s")
