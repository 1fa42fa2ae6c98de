# fault: weight-decay-too-strong
# cause_class: regularisation, loss
# family: tabular
# split: held
# set: marten, unseen
import os

import numpy as np
import torch
import torch.nn as nn

seed = int(os.environ.get("SEED", 0))
rng = np.random.default_rng(seed)
torch.manual_seed(seed)


def customers(n):
    months = rng.exponential(1.0, n)
    calls = rng.poisson(2, n) - 2.0
    price = rng.normal(size=n)
    usage = rng.normal(size=n)
    other = rng.normal(size=(n, 6))
    score = 1.5 * price - 1.2 * months + 0.7 * calls * (usage < 0) + 1.0
    churn = (score + rng.logistic(size=n) * 0.5 > 0).astype(np.float32)
    x = np.column_stack([months - 1, calls / 1.4, price, usage, other]).astype(np.float32)
    return torch.from_numpy(x), torch.from_numpy(churn)


class ChurnNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2, self.fc3 = nn.Linear(10, 32), nn.Linear(32, 16), nn.Linear(16, 1)

    def forward(self, x):
        return self.fc3(torch.relu(self.fc2(torch.relu(self.fc1(x))))).squeeze(1)

    def penalty(self):
        return sum(p.pow(2).sum() for n, p in self.named_parameters() if "weight" in n)


def objective(model, x, y, lam=0.5):
    return nn.functional.binary_cross_entropy_with_logits(model(x), y) + lam * model.penalty()


x, y = customers(3000)
xv, yv = customers(800)
model = ChurnNet()
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(12):
    total = 0.0
    for b in torch.randperm(3000).split(60):
        opt.zero_grad()
        loss = objective(model, x[b], y[b])
        loss.backward()
        opt.step()
        total += loss.item() / 50
    with torch.no_grad():
        out = model(xv)
        bce = nn.functional.binary_cross_entropy_with_logits(out, yv)
    print(f"{epoch:2d} objective {total:.4f} valid bce {bce:.4f} acc {((out > 0) == yv.bool()).float().mean():.3f} base {max(yv.mean(), 1 - yv.mean()):.3f}")
