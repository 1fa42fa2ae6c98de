# fault: none
# family: regression
# split: tune
# float64 throughout, ReduceLROnPlateau on the validation loss, early stopping that restores the best weights.
import copy
import os

import torch
from torch import nn

torch.set_default_dtype(torch.float64)
torch.manual_seed(int(os.environ.get("SEED", "0")))


def f(x):
    return torch.cos(2 * x[:, :1]) * x[:, 1:2] + 0.5 * x[:, 2:3] ** 2


xt, xv = torch.randn(1200, 3), torch.randn(300, 3)
yt, yv = f(xt) + 0.1 * torch.randn(1200, 1), f(xv) + 0.1 * torch.randn(300, 1)

model = nn.Sequential(nn.Linear(3, 40), nn.SiLU(), nn.Linear(40, 40), nn.SiLU(), nn.Linear(40, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.3, patience=1)
loss_fn = nn.MSELoss()
best, best_state, bad = float("inf"), None, 0
first = None
for epoch in range(20):
    model.train()
    for i in torch.randperm(1200).split(60):
        loss = loss_fn(model(xt[i]), yt[i])
        opt.zero_grad()
        loss.backward()
        opt.step()
        first = first or loss.item()
    model.eval()
    with torch.no_grad():
        val = loss_fn(model(xv), yv).item()
    plateau.step(val)
    if val < best - 1e-5:
        best, best_state, bad = val, copy.deepcopy(model.state_dict()), 0
    else:
        bad += 1
        if bad == 4:
            print("stopped early at epoch", epoch)
            break
model.load_state_dict(best_state)
print("best val", best, "lr", opt.param_groups[0]["lr"])
print(f"loss first {first:.4f} last {loss.item():.4f}")
