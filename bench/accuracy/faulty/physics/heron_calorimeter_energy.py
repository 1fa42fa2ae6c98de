# fault: broadcast-targets
# cause_class: labels, loss
# family: physics
# split: tune

# Energy and its uncertainty from the cells of a sampling calorimeter.
import math
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(int(os.environ.get("SEED", 0)))
CELLS = 30


class Showers(Dataset):
    def __init__(self, n):
        self.energy = 10 ** (torch.rand(n) * 1.5)                   # GeV
        depth = torch.arange(CELLS) / 4.0
        t_max = 1.5 + 0.5 * self.energy.log() + 0.1 * torch.randn(n)
        b = 0.5
        a = 1 + b * t_max
        prof = depth.clamp(min=0.05).log() * (a - 1).unsqueeze(1) - b * depth - torch.lgamma(a).unsqueeze(1)
        mean = self.energy.unsqueeze(1) * prof.exp() * b
        self.cells = (mean + 0.15 * mean.sqrt() * torch.randn(n, CELLS)).clamp(min=0)
        self.cells = torch.log1p(self.cells)
        self.target = (self.energy.log10() - 0.75) / 0.43

    def __len__(self):
        return len(self.target)

    def __getitem__(self, i):
        return self.cells[i], self.target[i]


class HeteroscedasticNLL(nn.Module):
    def forward(self, mu, log_var, y):
        return 0.5 * (log_var + (y - mu) ** 2 * torch.exp(-log_var) + math.log(2 * math.pi)).mean()


class EnergyNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(CELLS, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU())
        self.mu, self.log_var = nn.Linear(64, 1), nn.Linear(64, 1)

    def forward(self, x):
        h = self.trunk(x)
        return self.mu(h), self.log_var(h).clamp(-8, 4)


train, test = Showers(4000), Showers(800)
model, criterion = EnergyNet(), HeteroscedasticNLL()
optimiser = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(8):
    total = 0.0
    for cells, y in DataLoader(train, batch_size=64, shuffle=True, drop_last=True):
        mu, log_var = model(cells)
        loss = criterion(mu, log_var, y)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        total += loss.item()
    with torch.no_grad():
        mu, log_var = model(test.cells)
        pull = (mu.flatten() - test.target) / log_var.flatten().mul(0.5).exp()
        rms = (mu.flatten() - test.target).square().mean().sqrt()
    print(f"epoch {epoch}: nll {total / 62:.3f}, rms {rms.item():.3f}, pull width {pull.std().item():.3f}")
