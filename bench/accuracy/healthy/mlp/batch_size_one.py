# fault: none
# family: mlp
# split: tune
# One sample per update: the loss of each step jumps, its average falls.
import os
import random

import torch
from torch import nn

seed = int(os.environ.get("SEED", "0"))
random.seed(seed)
torch.manual_seed(seed)

true_w = torch.randn(12)


def samples():
    while True:
        x = torch.randn(1, 12)
        p = torch.sigmoid(3 * x @ true_w)
        yield x, (torch.rand(1) < p).float()


model = nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.05)
lossf = nn.BCEWithLogitsLoss()

running, log = None, []
for i, (x, y) in enumerate(samples()):
    out = model(x).squeeze(1)
    loss = lossf(out, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    log.append(loss.item())
    running = loss.item() if running is None else 0.98 * running + 0.02 * loss.item()
    if i % 100 == 99:
        print(i + 1, f"{running:.4f}")
    if i == 499:
        break
print(f"loss first {sum(log[:50]) / 50:.4f} last {sum(log[-50:]) / 50:.4f}")
