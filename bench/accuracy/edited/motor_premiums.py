# fault: none
# family: tabular
# split: held
# set: okapi, unseen
# -*- coding: utf-8 -*-
"""
Pure-premium model for motor policies: regress yearly cost on policy attributes.
(was a scikit pipeline before, hence fit / predict)
"""
import os
import copy
import random
import numpy as np
import torch
from torch import nn
from torch.utils.data import TensorDataset, DataLoader

SEED = int(os.environ.get('SEED', 0))
CONFIG = {
    'hidden': (64, 64),
    'dropout': 0.05,
    'lr': 0.02,
    'momentum': 0.9,
    'l2': 1e-5,
    'batch_size': 64,
    'max_epochs': 30,
    'patience': 12,
}


def seed_all(s):
    random.seed(s)
    np.random.seed(s)
    torch.manual_seed(s)


def simulate_policies(n, rng):
    age = rng.uniform(18, 80, n)
    power = rng.gamma(6, 15, n)
    value = rng.lognormal(9.8, 0.5, n)
    km = rng.gamma(3, 5000, n)
    region = rng.integers(0, 6, n)
    bonus = rng.uniform(0.5, 1.5, n)
    reg_eff = np.array([0.0, 180.0, -120.0, 320.0, 60.0, -210.0])[region]
    cost = (420 + 0.35 * (age - 47) ** 2 + 2.1 * power * (age < 30) + 0.009 * value * bonus
            + 160 * np.sin(km / 4000) + reg_eff * bonus)
    cost = cost + rng.normal(0, 40, n)
    onehot = np.eye(6)[region]
    X = np.column_stack([age, power, value, km, bonus, onehot])
    return X.astype(np.float32), cost.astype(np.float32)


class Scaler:
    def fit(self, a):
        self.mu = a.mean(axis=0)
        self.sd = a.std(axis=0) + 1e-6
        return self

    def transform(self, a):
        return (a - self.mu) / self.sd

    def inverse(self, a):
        return a * self.sd + self.mu


class PremiumNet(nn.Module):
    def __init__(self, n_in, hidden, dropout):
        super().__init__()
        layers = []
        for h in hidden:
            layers += [nn.Linear(n_in, h), nn.ReLU(), nn.Dropout(dropout)]
            n_in = h
        layers.append(nn.Linear(n_in, 1))
        self.net = nn.Sequential(*layers)

    def forward(self, x):
        return self.net(x)


class PremiumRegressor:
    def __init__(self, cfg):
        self.cfg = cfg
        self.xs, self.ys = Scaler(), Scaler()

    def fit(self, X, y, Xv, yv):
        c = self.cfg
        Xt = torch.tensor(self.xs.fit(X).transform(X))
        yt = torch.tensor(self.ys.fit(y).transform(y)).unsqueeze(1)
        self.model = PremiumNet(X.shape[1], c['hidden'], c['dropout'])
        loader = DataLoader(TensorDataset(Xt, yt), batch_size=c['batch_size'], shuffle=True)
        opt = torch.optim.SGD(self.model.parameters(), lr=c['lr'], momentum=c['momentum'], weight_decay=c['l2'])
        loss_fn = nn.MSELoss()
        best, best_state, wait = float('inf'), None, 0
        for epoch in range(c['max_epochs']):
            self.model.train()
            total = 0.0
            for xb, yb in loader:
                opt.zero_grad()
                loss = loss_fn(self.model(xb), yb)
                loss.backward()
                opt.step()
                total += loss.item() * len(xb)
            rmse = float(np.sqrt(np.mean((self.predict(Xv) - yv) ** 2)))
            if epoch % 5 == 0:
                print(f'[{epoch:02d}] train {total / len(Xt):.4f}  val rmse {rmse:.1f}')
            if rmse < best:
                best, best_state, wait = rmse, copy.deepcopy(self.model.state_dict()), 0
            else:
                wait += 1
                if wait >= c['patience']:
                    print('early stop at', epoch)
                    break
        if best_state is not None:
            self.model.load_state_dict(best_state)
        return self

    def predict(self, X):
        self.model.eval()
        with torch.no_grad():
            z = self.model(torch.tensor(self.xs.transform(X))).squeeze(1).numpy()
        return self.ys.inverse(z)


if __name__ == '__main__':
    seed_all(SEED)
    rng = np.random.default_rng(SEED)
    X, y = simulate_policies(2000, rng)
    Xv, yv = simulate_policies(600, rng)
    reg = PremiumRegressor(CONFIG).fit(X, y, Xv, yv)
    pred = reg.predict(Xv)
    r2 = 1 - np.sum((pred - yv) ** 2) / np.sum((yv - yv.mean()) ** 2)
    print('mean premium', pred.mean(), 'observed', yv.mean())
    print(f'METRIC r2 {r2:.4f}')
