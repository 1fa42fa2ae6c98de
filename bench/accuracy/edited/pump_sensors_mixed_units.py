# fault: none
# family: regression
# split: held
# set: badger, unseen
# metric: r2 higher
# baseline: 0.0
# reaches: 0.8
"""Wear index of centrifugal pumps from raw SI readings (K, Pa, m, ohm, ...)."""
import argparse
import copy
import os
import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

ap = argparse.ArgumentParser()
ap.add_argument("--rows", type=int, default=3000)
ap.add_argument("--width", type=int, default=64)
ap.add_argument("--lr", type=float, default=3e-3)
ap.add_argument("--max-epochs", type=int, default=40)
ap.add_argument("--patience", type=int, default=8)
args = ap.parse_args()

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
np.random.seed(SEED)
torch.manual_seed(SEED)
rng = np.random.default_rng(SEED)


def read_plant(n):
    temp = rng.normal(335.0, 9.0, n)                 # K
    pres = rng.normal(4.2e5, 3.0e4, n)               # Pa
    vib = np.exp(rng.normal(-13.2, 0.5, n))          # m, micrometres really
    insul = np.exp(rng.normal(17.0, 1.1, n))         # ohm
    rpm = rng.choice([980.0, 1470.0, 2950.0], n) + rng.normal(0, 6, n)
    flow = rng.normal(8e-3, 1.5e-3, n)               # m^3/s
    z = lambda a: (a - a.mean()) / a.std()
    wear = (1.2 * z(np.log(vib)) + 0.6 * z(temp) * z(rpm) - 0.8 * z(np.log(insul))
            + 0.9 * np.tanh(2 * z(pres)) * (z(flow) < 0.3) + 0.4 * rng.normal(size=n))
    x = np.stack([temp, pres, vib, insul, rpm, flow], 1)
    return x, wear


class UnitScaler(nn.Module):
    """Keeps the plant's own units outside of the network. log for the two log-normal channels."""

    LOG = (2, 3)

    def __init__(self, x):
        super().__init__()
        x = self._log(x)
        self.register_buffer("mu", x.mean(0))
        self.register_buffer("sd", x.std(0))

    def _log(self, x):
        x = x.clone()
        x[:, self.LOG] = x[:, self.LOG].log()
        return x

    def forward(self, x):
        return ((self._log(x) - self.mu) / self.sd).float()


x, y = read_plant(args.rows)
x, y = torch.from_numpy(x), torch.from_numpy(y).float()[:, None]
n_tr, n_va = int(0.6 * len(x)), int(0.2 * len(x))
xtr, xva, xte = x[:n_tr], x[n_tr:n_tr + n_va], x[n_tr + n_va:]
ytr, yva, yte = y[:n_tr], y[n_tr:n_tr + n_va], y[n_tr + n_va:]

net = nn.Sequential(UnitScaler(xtr), nn.Linear(6, args.width), nn.SiLU(),
                    nn.Linear(args.width, args.width), nn.SiLU(), nn.Linear(args.width, 1))
opt = torch.optim.AdamW(net.parameters(), lr=args.lr, weight_decay=1e-3)
sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.3, patience=3)
crit = nn.SmoothL1Loss()
loader = DataLoader(TensorDataset(xtr, ytr), batch_size=64, shuffle=True)


def r2(pred, target, ref):
    return (1 - ((pred - target) ** 2).sum() / ((ref - target) ** 2).sum()).item()


best, best_state, since = float("inf"), None, 0
for epoch in range(args.max_epochs):
    net.train()
    total = 0.0
    for xb, yb in loader:
        opt.zero_grad()
        loss = crit(net(xb), yb)
        loss.backward()
        opt.step()
        total += loss.item() * len(xb)
    net.eval()
    with torch.no_grad():
        val = crit(net(xva), yva).item()
    sched.step(val)
    print(f"epoch {epoch:2d} train {total / n_tr:.4f} val {val:.4f} lr {opt.param_groups[0]['lr']:.1e}")
    if val < best - 1e-4:
        best, best_state, since = val, copy.deepcopy(net.state_dict()), 0
    else:
        since += 1
        if since >= args.patience:
            break

net.load_state_dict(best_state)
with torch.no_grad():
    print("mean predictor", r2(ytr.mean().expand_as(yte), yte, yte.mean()))
    print("result: r2", round(r2(net(xte), yte, yte.mean()), 4))
