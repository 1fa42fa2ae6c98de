# fault: init-too-large
# cause_class: initialisation, activation
# family: weather
# split: held
# Frost tomorrow? Own recurrent cell, because I wanted to understand what nn.RNN does.
import os
import numpy as np
import torch

seed = int(os.environ.get("SEED", 0))
np.random.seed(seed)
torch.manual_seed(seed)

HIDDEN, FEATS, DAYS = 96, 4, 30


def stations(n):
    t = np.zeros((n, DAYS + 1)); t[:, 0] = np.random.normal(0, 1, n)
    front = np.random.normal(0, 1, (n, DAYS + 1))
    for d in range(1, DAYS + 1):
        t[:, d] = 0.9 * t[:, d - 1] + 0.3 * front[:, d - 1] - 0.15 * t[:, max(0, d - 4)] + 0.12 * np.random.normal(0, 1, n)
    cloud, wind = np.random.normal(0, 1, (2, n, DAYS + 1))
    x = np.stack([t, front, cloud, wind], 2)[:, :DAYS]
    return torch.tensor(x, dtype=torch.float32), torch.tensor(t[:, DAYS] < 0, dtype=torch.float32)


def weight(rows, cols):
    w = 2.0 * torch.randn(rows, cols)
    return w.requires_grad_()


params = {
    "wx": weight(HIDDEN, FEATS), "wh": weight(HIDDEN, HIDDEN), "b": torch.zeros(HIDDEN, requires_grad=True),
    "v": weight(16, HIDDEN), "c": torch.zeros(16, requires_grad=True),
    "u": weight(1, 16), "d": torch.zeros(1, requires_grad=True),
}


def forward(x):
    h = torch.zeros(len(x), HIDDEN)
    for day in range(x.size(1)):
        h = torch.tanh(x[:, day] @ params["wx"].T + h @ params["wh"].T + params["b"])
    z = torch.tanh(h @ params["v"].T + params["c"])
    return (z @ params["u"].T + params["d"]).squeeze(1)


Xtr, ytr = stations(1600)
Xte, yte = stations(500)
opt = torch.optim.Adam(params.values(), lr=2e-3)
bce = torch.nn.BCEWithLogitsLoss()
for epoch in range(6):
    for idx in torch.randperm(len(Xtr)).split(40):
        loss = bce(forward(Xtr[idx]), ytr[idx])
        opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(params.values(), 1.0)
        opt.step()
    with torch.no_grad():
        out = forward(Xte)
    print(f"epoch {epoch} loss {loss.item():.4f} test loss {bce(out, yte).item():.4f} acc {((out > 0).float() == yte).float().mean().item():.3f}")
