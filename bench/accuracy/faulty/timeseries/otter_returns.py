# fault: nan-in-data
# cause_class: data-loading, non-finite, data-scaling
# family: timeseries
# split: held
import os
import numpy as np
import torch
from torch import nn

seed = int(os.environ.get("SEED", 0))
rng = np.random.default_rng(seed)
torch.manual_seed(seed)

# demand of 40 products, some are out of season now and then
T, N, W = 200, 40, 14
phase = rng.uniform(0, 6.28, N)
demand = 5 + 4 * np.sin(np.arange(T)[:, None] / 7 * 6.28 + phase) + rng.normal(0, .6, (T, N))
for k in range(4):
    s = rng.integers(0, T - 30)
    demand[s:s + 18, k] = 0.0


def windows():
    xs, ys = [], []
    for k in range(N):
        for t in range(W, T - 1, 3):
            w = demand[t - W:t, k]
            z = (w - w.mean()) / w.std()
            xs.append(z)
            ys.append((demand[t, k] - 5) / 3)
    return np.array(xs, "float32"), np.array(ys, "float32")


np.seterr(all="ignore")
X, Y = map(torch.from_numpy, windows())
perm = torch.randperm(len(X))
X, Y = X[perm], Y[perm]
n_train = int(0.8 * len(X))

model = nn.Sequential(nn.Unflatten(1, (1, W)), nn.Conv1d(1, 16, 5, padding=2), nn.ReLU(),
                      nn.Conv1d(16, 16, 5, padding=2), nn.ReLU(), nn.Flatten(), nn.Linear(16 * W, 1), nn.Flatten(0))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(6):
    for i in range(0, n_train, 32):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(X[i:i + 32]), Y[i:i + 32])
        loss.backward()
        optimizer.step()
        if i // 32 % 20 == 0:
            print(f"epoch {epoch} batch {i // 32} mse {loss.item():.4f}")
