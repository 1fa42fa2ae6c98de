# fault: none
# family: mlp
# split: tune
# A third of the labels are wrong: the loss soon reaches the floor that the noise sets and stays there.
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))


def stream(batch, steps):
    w = torch.randn(6, 4) * 2
    for _ in range(steps):
        x = torch.randn(batch, 6)
        y = (x @ w).argmax(1)
        flip = torch.rand(batch) < 0.33
        yield x, torch.where(flip, torch.randint(0, 4, (batch,)), y)


model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 4))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
out = []
for x, y in stream(100, 350):
    loss = F.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    out.append(loss.item())
print(f"loss first {out[0]:.4f} last {sum(out[-30:]) / 30:.4f}")
