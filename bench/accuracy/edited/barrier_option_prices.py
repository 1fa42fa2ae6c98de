# fault: none
# family: tabular
# split: held
# set: dingo, unseen
"""Neural surrogate for option prices (pricing desk prototype).

Learns the price of down-and-out style calls from contract and market parameters so that the
calibration need not call the slow pricer. Prices come from a closed formula, in currency units.
"""
import copy
import math
import os

import numpy as np
import torch
import torch.nn as nn

SEED = int(os.environ.get("SEED", "0"))
torch.manual_seed(SEED)
np.random.seed(SEED)


def norm_cdf(x):
    return 0.5 * (1.0 + torch.erf(x / math.sqrt(2.0)))


def bs_call(s, k, t, r, vol):
    d1 = (torch.log(s / k) + (r + 0.5 * vol**2) * t) / (vol * t.sqrt())
    d2 = d1 - vol * t.sqrt()
    return s * norm_cdf(d1) - k * torch.exp(-r * t) * norm_cdf(d2)


def sample_contracts(n):
    s = torch.empty(n).uniform_(60, 140)
    k = torch.empty(n).uniform_(60, 140)
    t = torch.empty(n).uniform_(0.1, 2.0)
    r = torch.empty(n).uniform_(0.0, 0.06)
    vol = torch.empty(n).uniform_(0.1, 0.5)
    barrier = 0.9 * torch.minimum(s, k) * torch.empty(n).uniform_(0.6, 1.0)
    lam = (r + 0.5 * vol**2) / vol**2
    price = bs_call(s, k, t, r, vol) - (barrier / s) ** (2 * lam - 2) * bs_call(barrier**2 / s, k, t, r, vol)
    features = torch.stack([s, k, t, r, vol, barrier], dim=1)
    return features, price.unsqueeze(1)


class Standardizer:
    def fit(self, x):
        self.mean, self.std = x.mean(dim=0), x.std(dim=0)
        return self

    def forward(self, x):
        return (x - self.mean) / self.std

    def inverse(self, z):
        return z * self.std + self.mean


class Ema:
    """Average of the weights; this copy is what the desk uses."""

    def __init__(self, model, decay):
        self.model = copy.deepcopy(model).eval()
        self.decay = decay

    @torch.no_grad()
    def update(self, model):
        for mine, theirs in zip(self.model.parameters(), model.parameters()):
            mine.lerp_(theirs, 1 - self.decay)


def build_model(width=64, depth=3):
    layers = [nn.Linear(6, width), nn.SiLU()]
    for _ in range(depth - 1):
        layers += [nn.Linear(width, width), nn.SiLU()]
    layers.append(nn.Linear(width, 1))
    return nn.Sequential(*layers)


def r_squared(model, x, price, y_scaler):
    with torch.no_grad():
        predicted = y_scaler.inverse(model(x))
    return 1.0 - ((predicted - price) ** 2).sum().item() / ((price - price.mean()) ** 2).sum().item()


def train(n_iter=700, batch=128, peak_lr=4e-3):
    features, price = sample_contracts(6000)
    valid_features, valid_price = sample_contracts(1500)
    x_scaler = Standardizer().fit(features)
    y_scaler = Standardizer().fit(price)
    x, y = x_scaler.forward(features), y_scaler.forward(price)
    valid_x = x_scaler.forward(valid_features)

    model = build_model()
    ema = Ema(model, decay=0.98)
    opt = torch.optim.Adam(model.parameters(), lr=peak_lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=n_iter)
    mse = nn.MSELoss()

    for it in range(1, n_iter + 1):
        idx = torch.randint(0, len(x), (batch,))
        loss = mse(model(x[idx]), y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        ema.update(model)
        if it % 140 == 0:
            print(f"iter {it:4d} mse {loss.item():.5f} valid R2 {r_squared(ema.model, valid_x, valid_price, y_scaler):.4f}")
    return r_squared(ema.model, valid_x, valid_price, y_scaler)


if __name__ == "__main__":
    score = train()
    print(f"METRIC r2 {score:.4f}")
