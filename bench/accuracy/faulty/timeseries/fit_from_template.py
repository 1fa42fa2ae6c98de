# fault: model-replaced
# cause_class: not-updated, optimizer
# family: timeseries
# split: tune
import copy
import os

import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))


class Forecaster(nn.Module):
    def __init__(self, window=16, hidden=32):
        super().__init__()
        self.conv = nn.Conv1d(1, 8, 5, padding=2)
        self.mlp = nn.Sequential(nn.Flatten(), nn.Linear(8 * window, hidden), nn.ELU(), nn.Linear(hidden, 1))

    def forward(self, x):
        return self.mlp(torch.nn.functional.elu(self.conv(x[:, None]))).squeeze(-1)


class Trainer:
    def __init__(self, model, lr=3e-3):
        self.template = model
        self.model = model
        self.opt = torch.optim.Adam(self.model.parameters(), lr=lr)
        self.sched = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, 250)
        self.loss = nn.HuberLoss()

    def reset(self):
        """Every fit starts from the same weights."""
        self.model = copy.deepcopy(self.template)
        return self

    def step(self, x, y):
        loss = self.loss(self.model(x), y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.sched.step()
        return loss.item()

    def fit(self, batches):
        self.reset()
        for i, (x, y) in enumerate(batches):
            v = self.step(x, y)
            if i % 50 == 0:
                print(i, round(v, 4))


def series(n_batches, size=32):
    for _ in range(n_batches):
        p = torch.rand(size, 1) * 6.28
        w = (torch.arange(17).float() * 0.5 + p).sin() + 0.1 * torch.randn(size, 17)
        yield w[:, :-1], w[:, -1]


Trainer(Forecaster()).fit(series(250))
