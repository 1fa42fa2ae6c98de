# fault: init-equal
# cause_class: initialisation
# family: multitask
# split: held
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


def init_weights(m):
    if isinstance(m, nn.Linear):
        nn.init.constant_(m.weight, 0.05)
        nn.init.zeros_(m.bias)


class PlantModel(nn.Module):
    """One trunk, two heads: the fault's class and the pressure an hour later."""

    def __init__(self, n_in=16, width=48, n_class=4):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(n_in, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh())
        self.kind = nn.Linear(width, n_class)
        self.pressure = nn.Linear(width, 1)
        self.apply(init_weights)

    def forward(self, x):
        h = self.trunk(x)
        return self.kind(h), self.pressure(h).squeeze(-1)


gen = torch.Generator().manual_seed(3)
w_kind = torch.randn(16, 4, generator=gen)
w_press = torch.randn(16, generator=gen) / 4


def plant(n):
    x = torch.randn(n, 16)
    kind = (x @ w_kind + 0.6 * torch.randn(n, 4)).argmax(1)
    pressure = torch.sin(x @ w_press * 1.5) + 0.1 * torch.randn(n)
    return x, kind, pressure


train, test = plant(2400), plant(600)
model = PlantModel()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
ce, mse = nn.CrossEntropyLoss(), nn.MSELoss()

for epoch in range(12):
    sums = [0.0, 0.0]
    for b in torch.randperm(2400).split(48):
        k, p = model(train[0][b])
        l1, l2 = ce(k, train[1][b]), mse(p, train[2][b])
        opt.zero_grad()
        (l1 + l2).backward()
        opt.step()
        sums[0] += l1.item() / 50
        sums[1] += l2.item() / 50
    with torch.no_grad():
        k, p = model(test[0])
    print(f"epoch {epoch:2d} kind {sums[0]:.4f} pressure {sums[1]:.4f} | test acc {(k.argmax(1) == test[1]).float().mean():.3f} mse {mse(p, test[2]):.4f}")
