# fault: none
# family: tabular
# split: held
# set: heron, unseen
# metric: r2 higher
# baseline: 0.0
# reaches: 0.9
# Unusual: raw inputs are of order 1e-9 to 1e-6 (SI metres), targets in metres too; an input BatchNorm with tiny eps and target units handle it
import os

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)
rng = np.random.default_rng(seed)

# thin-film stack: film thicknesses and a wavelength, all in metres
n = 3000
thickness = rng.uniform(20e-9, 400e-9, size=(n, 3))
wavelength = rng.uniform(350e-9, 900e-9, size=(n, 1))
roughness = rng.lognormal(np.log(2e-9), 0.4, size=(n, 1))
X = np.hstack([thickness, wavelength, roughness])
index = np.array([1.45, 2.1, 1.7])
path = (thickness * index).sum(1)
y = path * (1 + 0.25 * np.sin(2 * np.pi * path / 1.2e-6)) - 20 * roughness[:, 0] + rng.normal(0, 15e-9, n)

data = TensorDataset(torch.tensor(X, dtype=torch.float32), torch.tensor(y, dtype=torch.float32))
train, valid, test = random_split(data, [2000, 400, 600], generator=torch.Generator().manual_seed(seed))
NM = 1e-9
scale = torch.stack([t for _, t in train]).std().item()


class FilmNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(5, eps=1e-24, momentum=None, affine=False)
        self.body = nn.Sequential(nn.Linear(5, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 1))

    def forward(self, x):
        return self.body(self.norm(x)).squeeze(-1)


net = FilmNet()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.ExponentialLR(opt, 0.9)
loader = DataLoader(train, batch_size=64, shuffle=True)


@torch.no_grad()
def mse(split):
    net.eval()
    x = torch.stack([a for a, _ in split])
    t = torch.stack([b for _, b in split]) / scale
    out = ((net(x) - t) ** 2).mean().item(), t.var().item()
    net.train()
    return out


for epoch in range(25):
    total = 0.0
    for x, t in loader:
        loss = nn.functional.mse_loss(net(x), t / scale)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(x)
    sched.step()
    if epoch % 5 == 4:
        err = mse(valid)[0] ** 0.5 * scale / NM
        print(f"epoch {epoch + 1}: train mse {total / len(train):.4f}  valid rmse {err:.1f} nm")

err, var = mse(test)
print(f"result: r2 {1 - err / var:.4f}")
