# fault: none
# family: vision
# split: held
# set: heron, unseen
# metric: accuracy higher
# baseline: 0.25
# reaches: 0.83
# Unusual: every residual branch starts at zero (last BatchNorm weight 0) so the trunk is the identity at first; one-cycle schedule up to 0.15; evaluation has accuracy only
import os

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)
rng = np.random.default_rng(SEED)
SIDE = 16


def draw(n):
    yy, xx = np.mgrid[:SIDE, :SIDE]
    kind = rng.integers(0, 4, n)
    cx, cy = rng.uniform(5, 11, (2, n, 1, 1))
    r = rng.uniform(3, 5, (n, 1, 1))
    dx, dy = np.abs(xx - cx), np.abs(yy - cy)
    shapes = np.stack([
        (dx**2 + dy**2 < r**2),                                   # disc
        (np.maximum(dx, dy) < r * 0.88),                          # square
        (dx + dy < r * 1.25),                                     # diamond
        ((dx < r * 0.35) | (dy < r * 0.35)) & (np.maximum(dx, dy) < r * 1.1),  # cross
    ])
    img = shapes[kind, np.arange(n)] * rng.uniform(0.6, 1.0, (n, 1, 1)) + rng.normal(0, 0.25, (n, SIDE, SIDE))
    return torch.tensor(img[:, None], dtype=torch.float32), torch.tensor(kind)


class Residual(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.branch = nn.Sequential(
            nn.Conv2d(c, c, 3, padding=1, bias=False), nn.BatchNorm2d(c), nn.ReLU(),
            nn.Conv2d(c, c, 3, padding=1, bias=False), nn.BatchNorm2d(c),
        )
        nn.init.zeros_(self.branch[-1].weight)

    def forward(self, x):
        return torch.relu(x + self.branch(x))


model = nn.Sequential(
    nn.Conv2d(1, 16, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(),
    Residual(16), Residual(16), nn.MaxPool2d(2), Residual(16),
    nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 4),
)
train = DataLoader(TensorDataset(*draw(1600)), batch_size=64, shuffle=True, drop_last=True)
x_test, y_test = draw(600)
EPOCHS = 10
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4, nesterov=True)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=0.15, total_steps=EPOCHS * len(train), pct_start=0.3)


def test_accuracy():
    model.eval()
    with torch.inference_mode():
        acc = (model(x_test).argmax(1) == y_test).float().mean().item()
    model.train()
    return acc


for epoch in range(EPOCHS):
    for x, y in train:
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
    print(f"epoch {epoch} accuracy {test_accuracy():.4f}")
print(f"result: accuracy {test_accuracy():.4f}")
