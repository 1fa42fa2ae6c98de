# fault: dead-relu
# cause_class: activation, initialisation
# family: mlp
# split: held
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


def init_weights(m):
    if isinstance(m, nn.Linear):
        nn.init.kaiming_normal_(m.weight, nonlinearity="relu")
        nn.init.constant_(m.bias, -1.5)


def blocks(sizes):
    for a, b in zip(sizes[:-1], sizes[1:]):
        yield nn.Linear(a, b)
        yield nn.ReLU()


class EnergyModel(nn.Module):
    def __init__(self, n_in):
        super().__init__()
        self.trunk = nn.Sequential(*blocks([n_in, 64, 64, 64, 32]))
        self.head = nn.Linear(32, 1)
        self.apply(init_weights)

    def forward(self, x):
        return self.head(self.trunk(x)).squeeze(-1)


def building(n):
    x = torch.randn(n, 8)
    load = 1.2 * torch.sin(1.5 * x[:, 0]) + x[:, 1] * x[:, 2] + 0.7 * x[:, 3] - 0.5 * x[:, 4].abs()
    return x, (load + 0.1 * torch.randn(n) + 0.4) / 1.6


x, y = building(3000)
xv, yv = building(500)
model = EnergyModel(8)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
huber = nn.SmoothL1Loss()
for epoch in range(12):
    model.train()
    total, k = 0.0, 0
    for idx in torch.randperm(len(x)).split(50):
        loss = huber(model(x[idx]), y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        total, k = total + loss.item(), k + 1
    model.eval()
    with torch.no_grad():
        h = model.trunk(xv)
        r2 = 1 - ((model(xv) - yv) ** 2).mean() / yv.var()
    print(f"epoch {epoch} loss {total / k:.4f} val r2 {r2:.3f} active {(h > 0).any(0).sum().item()}/32")
