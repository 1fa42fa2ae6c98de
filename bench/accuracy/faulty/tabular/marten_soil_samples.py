# fault: nan-in-data
# cause_class: data-scaling, non-finite, data-loading
# family: tabular
# split: held
import os

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = int(os.environ.get("SEED", 0))
np.random.seed(SEED)
torch.manual_seed(SEED)
COLUMNS = ["ph", "clay", "sand", "humus", "nitrogen", "lab", "depth"]


def load(n=2000):
    ph = np.random.normal(6.5, 0.7, n)
    clay = np.random.uniform(5, 60, n)
    sand = np.clip(90 - clay + np.random.normal(0, 8, n), 0, 95)
    humus = np.random.gamma(2.0, 1.2, n)
    nitrogen = 0.05 * humus + np.random.normal(0, 0.02, n)
    lab = np.full(n, 3.0)
    depth = np.random.choice([10.0, 30.0, 60.0], n)
    gain = 2.0 - (ph - 6.4) ** 2 + 0.5 * humus - 0.01 * depth + 0.01 * clay * (humus > 2) + np.random.normal(0, 0.2, n)
    table = np.column_stack([ph, clay, sand, humus, nitrogen, lab, depth])
    return table.astype(np.float32), ((gain - gain.mean()) / gain.std()).astype(np.float32)


class Standardiser:
    def fit(self, a):
        self.mean, self.std = a.mean(0), a.std(0)
        return self

    def __call__(self, a):
        with np.errstate(all="ignore"):
            return (a - self.mean) / self.std


table, gain = load()
scale = Standardiser().fit(table[:1600])
x, y = torch.tensor(scale(table)), torch.tensor(gain)
loader = DataLoader(TensorDataset(x[:1600], y[:1600]), batch_size=40, shuffle=True)
model = nn.Sequential(nn.Linear(len(COLUMNS), 48), nn.ELU(), nn.Linear(48, 48), nn.ELU(), nn.Linear(48, 1), nn.Flatten(0))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)

for epoch in range(8):
    history = []
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = nn.functional.smooth_l1_loss(model(xb), yb)
        loss.backward()
        optimizer.step()
        history.append(loss.item())
    with torch.no_grad():
        err = nn.functional.l1_loss(model(x[1600:]), y[1600:])
    print("epoch", epoch, "train", round(np.mean(history).item(), 4), "mae", round(err.item(), 4))
