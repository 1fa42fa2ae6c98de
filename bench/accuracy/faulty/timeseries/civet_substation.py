# fault: targets-not-scaled
# cause_class: data-scaling, learning-rate
# family: timeseries
# split: held
# Day-ahead load for one substation (kW). Encoder LSTM -> 24 hour head.
import os, math
import numpy as np
import torch
import torch.nn as nn

seed = int(os.environ.get("SEED", 0))
rng = np.random.default_rng(seed)
torch.manual_seed(seed)

hours = np.arange(24 * 400)
temp = 10 + 9 * np.sin(2 * np.pi * hours / (24 * 365)) + 4 * np.sin(2 * np.pi * hours / 24) + rng.normal(0, 1.5, len(hours))
weekend = ((hours // 24) % 7 >= 5).astype(float)
load = 41000 + 6500 * np.sin(2 * np.pi * (hours - 7) / 24) - 5200 * weekend + 420 * np.maximum(14 - temp, 0) + rng.normal(0, 500, len(hours))

HIST, HOR = 72, 24


def zscore(x, upto):
    return (x - x[:upto].mean()) / x[:upto].std()


split = 24 * 330
feats = np.stack([zscore(load, split), zscore(temp, split), weekend,
                  np.sin(2 * np.pi * hours / 24), np.cos(2 * np.pi * hours / 24)], 1).astype(np.float32)
y_series = load.astype(np.float32)


def windows(lo, hi, stride):
    xs, ys = [], []
    for s in range(lo, hi - HIST - HOR, stride):
        xs.append(feats[s:s + HIST])
        ys.append(y_series[s + HIST:s + HIST + HOR])
    return torch.from_numpy(np.stack(xs)), torch.from_numpy(np.stack(ys))


class LoadNet(nn.Module):
    def __init__(self, hidden=48):
        super().__init__()
        self.rnn = nn.LSTM(5, hidden, batch_first=True)
        self.head = nn.Sequential(nn.Linear(hidden, 64), nn.ReLU(), nn.Linear(64, HOR))

    def forward(self, x):
        _, (h, _) = self.rnn(x)
        return self.head(h[-1])


Xtr, Ytr = windows(0, split, 5)
Xte, Yte = windows(split, len(hours), 11)
model = LoadNet()
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
loss_fn = nn.MSELoss()
for epoch in range(7):
    model.train()
    perm = torch.randperm(len(Xtr))
    total = 0.0
    for b in perm.split(64):
        pred = model(Xtr[b])
        loss = loss_fn(pred, Ytr[b])
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        total += loss.item() * len(b)
    model.eval()
    with torch.no_grad():
        p, t = model(Xte), Yte
        mape = ((p - t).abs() / t).mean().item() * 100
    print(f"epoch {epoch + 1}  mse {total / len(Xtr):.4g}  test MAPE {mape:.2f}%")
