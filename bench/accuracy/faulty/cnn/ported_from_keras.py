# fault: running-statistics
# cause_class: eval-mode, structure
# family: cnn
# split: tune
import argparse
import os

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

HPARAMS = {"filters": [12, 24], "bn_momentum": 0.001, "bn_eps": 1e-3, "lr": 2e-3, "batch": 40, "epochs": 7}


def textures(n, rng):
    """Stripes of three directions at random phase, in counts around 120."""
    yy, xx = np.mgrid[:12, :12]
    y = rng.integers(0, 3, n)
    ang = np.array([0.0, np.pi / 3, 2 * np.pi / 3])[y] + rng.normal(0, 0.1, n)
    ph = rng.uniform(0, 2 * np.pi, n)
    w = np.cos(ang)[:, None, None] * xx + np.sin(ang)[:, None, None] * yy
    img = 120 + 60 * np.sin(1.2 * w + ph[:, None, None]) + rng.normal(0, 30, w.shape)
    img = img / 255.0
    return torch.tensor(img[:, None], dtype=torch.float32), torch.tensor(y)


class KerasLikeConv(nn.Sequential):
    def __init__(self, i, o, hp):
        super().__init__(nn.Conv2d(i, o, 3, padding=1, bias=False),
                         nn.BatchNorm2d(o, momentum=hp["bn_momentum"], eps=hp["bn_eps"]), nn.ReLU(), nn.MaxPool2d(2))


class Model(nn.Module):
    def __init__(self, hp):
        super().__init__()
        f = hp["filters"]
        self.c1, self.c2 = KerasLikeConv(1, f[0], hp), KerasLikeConv(f[0], f[1], hp)
        self.fc = nn.Linear(f[1] * 9, 3)

    def forward(self, x):
        return self.fc(self.c2(self.c1(x)).flatten(1))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=int(os.environ.get("SEED", 0)))
    a = p.parse_args()
    torch.manual_seed(a.seed)
    rng = np.random.default_rng(a.seed)
    xtr, ytr = textures(1200, rng)
    xte, yte = textures(300, rng)
    model = Model(HPARAMS)
    opt = torch.optim.Adam(model.parameters(), lr=HPARAMS["lr"])
    for epoch in range(HPARAMS["epochs"]):
        model.train()
        tr, hits = 0.0, 0
        for xb, yb in DataLoader(TensorDataset(xtr, ytr), batch_size=HPARAMS["batch"], shuffle=True):
            out = model(xb)
            loss = F.cross_entropy(out, yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
            tr += loss.item() * len(xb)
            hits += (out.argmax(1) == yb).sum().item()
        model.eval()
        with torch.no_grad():
            out = model(xte)
        print(f"epoch {epoch} train {tr / 1200:.3f} acc {hits / 1200:.3f} | test {F.cross_entropy(out, yte):.3f} acc {(out.argmax(1) == yte).float().mean():.3f}")


main()
