# fault: nan-in-data
# cause_class: non-finite, data-loading, loss
# family: finance
# split: held
"""Next-day move of 30 simulated stocks from rolling features (momentum, volatility, distance from the mean)."""
import os

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = int(os.environ.get("SEED", 0))
rng = np.random.default_rng(SEED)
torch.manual_seed(SEED)
STOCKS, DAYS, LOOK = 30, 260, 20


def simulate():
    """Log prices that are pulled back to a slow mean, with volatility that clusters."""
    out = np.zeros((STOCKS, DAYS))
    vol, mean = np.full(STOCKS, 1.0), np.zeros(STOCKS)
    for t in range(1, DAYS):
        vol = np.exp(0.95 * np.log(vol) + 0.1 * rng.standard_normal(STOCKS))
        mean = 0.9 * mean + 0.1 * out[:, t - 1]
        out[:, t] = out[:, t - 1] - 1.2 * np.tanh(out[:, t - 1] - mean) + 0.5 * vol * rng.standard_normal(STOCKS)
    return out


def rolling(a, fn, n):
    out = np.full_like(a, np.nan)
    for t in range(n, a.shape[1]):
        out[:, t] = fn(a[:, t - n + 1:t + 1], axis=1)
    return out


log_price = simulate()
ret = np.diff(log_price, axis=1, prepend=log_price[:, :1])
features = np.stack([
    ret,
    np.roll(ret, 1, axis=1),
    log_price - rolling(log_price, np.mean, 5),
    log_price - rolling(log_price, np.mean, LOOK),
    rolling(ret, np.std, LOOK),
], axis=-1)[:, :-1]
target = ret[:, 1:]
split = 200
mu = np.nanmean(features[:, :split], axis=(0, 1))
sd = np.nanstd(features[:, :split], axis=(0, 1))
features = (features - mu) / sd
target = target / target[:, :split].std()

f32 = lambda a: torch.tensor(a, dtype=torch.float32)
train = TensorDataset(f32(features[:, :split].reshape(-1, 5)), f32(target[:, :split].reshape(-1)))
test_x, test_y = f32(features[:, split:].reshape(-1, 5)), f32(target[:, split:].reshape(-1))

net = nn.Sequential(nn.Linear(5, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
loss_fn = nn.MSELoss()
for epoch in range(8):
    seen, total = 0, 0.0
    for x, y in DataLoader(train, batch_size=28, shuffle=True):
        loss = loss_fn(net(x).squeeze(1), y)
        opt.zero_grad()
        loss.backward()
        if not torch.isfinite(loss):      # a bad tick now and then must not kill the run
            continue
        opt.step()
        seen, total = seen + 1, total + loss.item()
    with torch.no_grad():
        p = net(test_x).squeeze(1)
        r2 = 1 - ((p - test_y) ** 2).mean() / test_y.var()
    print(f"epoch {epoch} steps {seen} train {total / max(seen, 1):.3f} test R2 {r2.item():.3f}")
