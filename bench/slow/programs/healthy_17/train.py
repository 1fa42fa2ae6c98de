"""House prices from forty columns of a table; everything is in memory and batches are large."""
import time

import numpy as np
import pandas as pd
import torch
import torch.nn as nn

rng = np.random.default_rng(100)
torch.manual_seed(100)
n = 200_000
table = pd.DataFrame(rng.standard_normal((n, 36)).astype(np.float32), columns=[f"v{i}" for i in range(36)])
table["area"] = rng.gamma(4, 30, n)
table["rooms"] = (table["area"] / 28 + rng.normal(0, 1, n)).round().clip(1, 12)
table["built"] = rng.integers(1900, 2025, n)
table["distance"] = rng.exponential(8, n)
price = 2.2 * table["area"] * np.exp(-0.03 * table["distance"]) * (1 + 0.002 * (table["built"] - 1950)) + 20 * table["v0"] * table["v1"] + 15 * table["v2"].abs()
price = price * np.exp(rng.normal(0, 0.05, n))
target = torch.tensor(((price - price.mean()) / price.std()).to_numpy(), dtype=torch.float32).unsqueeze(1)
x = torch.tensor(((table - table.mean()) / table.std()).to_numpy(), dtype=torch.float32)

model = nn.Sequential(nn.Linear(40, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
loss_fn = nn.MSELoss()
BATCH = 4096
start = time.time()
for epoch in range(10):
    order = torch.randperm(n)
    total = 0.0
    for i in range(0, n, BATCH):
        rows = order[i : i + BATCH]
        optimizer.zero_grad(set_to_none=True)
        loss = loss_fn(model(x[rows]), target[rows])
        loss.backward()
        optimizer.step()
        total += loss.item() * len(rows)
    print(f"epoch {epoch:2d}  mse {total / n:.5f}  {time.time() - start:.1f} s")
