# fault: none
# family: regression
# split: held
# set: badger, unseen
# metric: mape lower
# baseline: 0.45
# reaches: 0.15
# Unusual: losses from 1e14 down to 1e12 (Adam does not mind), 40 rows, strong decoupled weight decay, an average over the last third of the iterates.
"""Prices of flats in yen, 40 flats to learn from. The head multiplies by the mean price; the loss is squared yen."""
import os
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel

torch.set_num_threads(1)


@dataclass
class Setup:
    seed: int = int(os.environ.get("SEED", 0))
    flats: int = 40
    lr: float = 6e-3
    decay: float = 0.5
    steps: int = 600


def market(rng, n):
    area = rng.uniform(18, 95, n)                 # m^2
    age = rng.uniform(0, 45, n)                   # years
    walk = rng.uniform(1, 20, n)                  # minutes to the station
    floor = rng.integers(1, 15, n)
    yen = 7.5e5 * area * np.exp(-0.018 * age - 0.02 * walk) * (1 + 0.01 * floor) * np.exp(0.08 * rng.normal(size=n))
    return np.stack([area, age, walk, floor], 1), yen


class Appraiser(nn.Module):
    def __init__(self, x, yen):
        super().__init__()
        self.register_buffer("mu", x.mean(0))
        self.register_buffer("sd", x.std(0))
        self.register_buffer("typical", yen.mean())
        self.hidden = nn.Linear(4, 32)
        self.head = nn.Linear(32, 1)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, x):
        z = torch.tanh(self.hidden((x - self.mu) / self.sd))
        return self.typical * torch.exp(self.head(z).squeeze(1))


def main(c: Setup):
    rng = np.random.default_rng(c.seed)
    torch.manual_seed(c.seed)
    x, yen = (torch.tensor(a, dtype=torch.float32) for a in market(rng, c.flats))
    xv, yv = (torch.tensor(a, dtype=torch.float32) for a in market(rng, 1000))
    net = Appraiser(x, yen)
    mean_net = AveragedModel(net)
    opt = torch.optim.AdamW(net.parameters(), lr=c.lr, weight_decay=c.decay)
    for step in range(1, c.steps + 1):
        pick = torch.randint(c.flats, (20,))
        loss = (net(x[pick]) - yen[pick]).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step > 2 * c.steps // 3:
            mean_net.update_parameters(net)
        if step % 50 == 0:
            with torch.no_grad():
                v = (net(xv) - yv).square().mean().item()
            print(f"step {step} train {loss.item():.3e} yen^2  held {v:.3e} yen^2")
    with torch.no_grad():
        mape = ((mean_net(xv) - yv).abs() / yv).mean().item()
        naive = ((yen.median() - yv).abs() / yv).mean().item()
    print("median price:", round(naive, 3))
    print(f"result: mape {mape:.4f}")


if __name__ == "__main__":
    main(Setup())
