# fault: output-range
# cause_class: output-activation, data-scaling
# family: autoencoder
# split: held
import os

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

SEED = int(os.environ.get("SEED", 0))
np.random.seed(SEED)
torch.manual_seed(SEED)


def beats(n, length=48):
    t = np.linspace(0, 1, length)[None]
    c = lambda lo, hi: np.random.uniform(lo, hi, (n, 1))
    bump = lambda m, w, h: h * np.exp(-((t - m) / w) ** 2)
    x = (bump(c(.18, .24), .05, c(.1, .3)) - bump(c(.40, .44), .02, c(.1, .3)) + bump(c(.46, .5), .025, c(.8, 1.4))
         - bump(c(.53, .57), .025, c(.2, .5)) + bump(c(.72, .82), .08, c(.2, .5)))
    return (x + 0.02 * np.random.randn(n, length)).astype(np.float32)


raw = beats(2200)
mean, std = raw[:2000].mean(), raw[:2000].std()
scaled = torch.from_numpy((raw - mean) / std)
train, test = scaled[:2000], scaled[2000:]


class BeatAutoencoder(nn.Module):
    def __init__(self, length=48, code=6):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(length, 64), nn.ReLU(), nn.Linear(64, code))
        self.decode = nn.Sequential(nn.Linear(code, 64), nn.ReLU(), nn.Linear(64, length), nn.Sigmoid())

    def forward(self, x):
        return self.decode(self.encode(x))


ae = BeatAutoencoder()
opt = torch.optim.AdamW(ae.parameters(), lr=2e-3, weight_decay=1e-5)
for epoch in range(12):
    ae.train()
    acc = []
    for (x,) in DataLoader(TensorDataset(train), batch_size=50, shuffle=True):
        loss = nn.functional.mse_loss(ae(x), x)
        opt.zero_grad()
        loss.backward()
        opt.step()
        acc.append(loss.item())
    ae.eval()
    with torch.no_grad():
        val = nn.functional.mse_loss(ae(test), test).item()
    print(f"epoch {epoch:2d} reconstruction {np.mean(acc):.4f} test {val:.4f} (variance {test.var():.3f})")
