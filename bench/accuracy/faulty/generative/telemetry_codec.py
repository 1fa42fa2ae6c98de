# fault: no-gradient
# cause_class: not-updated, structure
# family: generative
# split: tune
# set: heron, unseen
"""A learned codec for telemetry packets: 32 channels -> 6 small integers -> 32 channels."""
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
LEVELS = 7
mixing = torch.randn(5, 32)


def packets(n):
    hidden = torch.rand(n, 5) * 2 - 1
    x = torch.sin(hidden @ mixing) + 0.02 * torch.randn(n, 32)
    return x / 0.7


class Quantiser(nn.Module):
    """Integers from -3 to 3, which is what goes over the radio."""

    def forward(self, z):
        half = LEVELS // 2
        return torch.round(torch.tanh(z) * half) / half


class Codec(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(32, 64), nn.ELU(), nn.Linear(64, 6))
        self.quantiser = Quantiser()
        self.decoder = nn.Sequential(nn.Linear(6, 64), nn.ELU(), nn.Linear(64, 64), nn.ELU(), nn.Linear(64, 32))

    def forward(self, x):
        return self.decoder(self.quantiser(self.encoder(x)))


codec = Codec()
optimizer = torch.optim.Adam(codec.parameters(), lr=2e-3)
test = packets(1000)
for step in range(700):
    x = packets(128)
    loss = (codec(x) - x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 99:
        with torch.no_grad():
            mse = (codec(test) - test).square().mean()
            used = codec.quantiser(codec.encoder(test)).unique().numel()
        print(f"step {step + 1}: train {loss.item():.4f} test {mse.item():.4f} of {test.var().item():.3f}, {used} levels")
