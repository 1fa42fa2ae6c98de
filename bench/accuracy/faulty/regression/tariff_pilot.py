# fault: overfit
# cause_class: overfit, regularisation, epochs
# family: regression
# split: held
# set: civet, unseen
# Will a household shift load when offered a night tariff? From its day profile and a short survey.
# Pilot: 60 labelled households, the rest of the roll-out is the check.
import os
import numpy as np
import torch
from torch import nn

SEED = int(os.environ.get("SEED", 0))
rs = np.random.RandomState(SEED)
torch.manual_seed(SEED)


def households(n):
    area = rs.uniform(40, 220, n)
    people = rs.randint(1, 6, n)
    pump = rs.rand(n) < 0.3
    t = np.arange(48)
    morning = rs.normal(15, 1, (n, 1)); evening = rs.normal(38, 1.5, (n, 1))
    prof = 0.004 * area[:, None] * (1 + 0.4 * pump[:, None]) + people[:, None] * (
        0.10 * np.exp(-(t - morning) ** 2 / 8) + 0.18 * np.exp(-(t - evening) ** 2 / 18))
    prof = prof + 0.35 * rs.normal(size=prof.shape)
    survey = rs.normal(size=(n, 12))
    z = 1.2 * (people - 3) / 1.4 + 1.0 * (evening[:, 0] - 38) / 1.5 + 0.9 * survey[:, 3] - 0.8 * survey[:, 7]
    accept = z + rs.logistic(0, 1.0, n) > 0
    return np.concatenate([prof, survey], 1).astype(np.float32), accept.astype(np.float32)[:, None]


xtr, ytr = households(60)
xva, yva = households(500)
m, s = xtr.mean(0), xtr.std(0)
xtr, xva = [torch.from_numpy((a - m) / s) for a in (xtr, xva)]
ytr, yva = torch.from_numpy(ytr), torch.from_numpy(yva)

WIDTH, DROP, DECAY, EPOCHS = 256, 0.0, 0.0, 200
net = nn.Sequential(nn.Dropout(DROP), nn.Linear(60, WIDTH), nn.ReLU(), nn.Dropout(DROP), nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 1))
opt = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=DECAY)
loss_fn = nn.BCEWithLogitsLoss()


def check(x, y):
    net.eval()
    with torch.no_grad():
        out = net(x)
    net.train()
    return loss_fn(out, y).item(), ((out > 0).float() == y).float().mean().item()


for ep in range(EPOCHS):
    for b in torch.randperm(60).split(12):
        opt.zero_grad()
        loss = loss_fn(net(xtr[b]), ytr[b])
        loss.backward()
        opt.step()
    if ep % 5 == 4:
        (tl, ta), (vl, va) = check(xtr, ytr), check(xva, yva)
        print(f"epoch {ep + 1:3d} train {tl:.4f} acc {ta:.3f} | valid {vl:.4f} acc {va:.3f}")
