# fault: dropout-on-output
# cause_class: regularisation, structure, output-activation
# family: regression
# split: held
import os

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(int(os.environ.get("SEED", 0)))


def build_mlp(sizes, dropout=0.2, norm=True):
    layers = []
    for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
        last = i == len(sizes) - 2
        layers.append(nn.Linear(a, b))
        if not last:
            if norm:
                layers.append(nn.LayerNorm(b))
            layers.append(nn.ReLU(inplace=True))
        layers.append(nn.Dropout(dropout))
    return nn.Sequential(*layers)


def rentals(n):
    hour = torch.rand(n) * 24
    temp, wind, hol = torch.randn(n), torch.randn(n), (torch.rand(n) < 0.1).float()
    count = 180 + 90 * torch.sin((hour - 9) / 24 * 6.283) + 40 * temp - 15 * wind * (temp < 0) - 50 * hol
    count = count + 8 * torch.randn(n)
    x = torch.stack([torch.sin(hour / 24 * 6.283), torch.cos(hour / 24 * 6.283), temp, wind, hol], 1)
    return x, count[:, None] / 100.0


class Fit:
    def __init__(self, model, lr):
        self.model, self.opt = model, optim.AdamW(model.parameters(), lr=lr)
        self.loss = nn.MSELoss()

    def epoch(self, loader):
        self.model.train()
        s = 0.0
        for x, y in loader:
            self.opt.zero_grad()
            loss = self.loss(self.model(x), y)
            loss.backward()
            self.opt.step()
            s += loss.item()
        return s / len(loader)

    @torch.no_grad()
    def score(self, loader):
        self.model.eval()
        return sum(self.loss(self.model(x), y).item() for x, y in loader) / len(loader)


full = TensorDataset(*rentals(3000))
train, val = random_split(full, [2500, 500])
tl, vl = DataLoader(train, 50, shuffle=True), DataLoader(val, 250)
fit = Fit(build_mlp([5, 64, 64, 1]), 2e-3)
for e in range(14):
    a = fit.epoch(tl)
    print(f"epoch {e:2d} train mse {a:.4f} val mse {fit.score(vl):.4f}")
