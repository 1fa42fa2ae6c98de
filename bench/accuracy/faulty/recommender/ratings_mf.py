# fault: weight-decay-too-strong
# cause_class: regularisation, optimizer, learning-rate
# family: recommender
# split: tune
import os

import numpy as np
import torch
import torch.nn as nn

config = {
    "seed": int(os.environ.get("SEED", 0)),
    "model": {"factors": 8, "init_std": 0.1},
    "optimizer": {"name": "AdamW", "lr": 0.02, "weight_decay": 10.0},
    "train": {"epochs": 12, "batch_size": 256},
}
np.random.seed(config["seed"])
torch.manual_seed(config["seed"])


def ratings(users=150, movies=200, n=9000):
    pu, qi = np.random.normal(0, 0.7, (users, 4)), np.random.normal(0, 0.7, (movies, 4))
    bu, bi = np.random.normal(0, 0.4, users), np.random.normal(0, 0.5, movies)
    u, i = np.random.randint(0, users, n), np.random.randint(0, movies, n)
    r = (pu[u] * qi[i]).sum(1) + bu[u] + bi[i] + np.random.normal(0, 0.3, n)
    return torch.tensor(u), torch.tensor(i), torch.tensor((r - r.mean()) / r.std(), dtype=torch.float32)


class MatrixFactorization(nn.Module):
    def __init__(self, users, movies, factors, init_std):
        super().__init__()
        self.p, self.q = nn.Embedding(users, factors), nn.Embedding(movies, factors)
        self.bu, self.bi = nn.Embedding(users, 1), nn.Embedding(movies, 1)
        for e in (self.p, self.q, self.bu, self.bi):
            nn.init.normal_(e.weight, std=init_std)

    def forward(self, u, i):
        return (self.p(u) * self.q(i)).sum(1) + self.bu(u).squeeze(1) + self.bi(i).squeeze(1)


def build_optimizer(model, cfg):
    cfg = dict(cfg)
    return getattr(torch.optim, cfg.pop("name"))(model.parameters(), **cfg)


u, i, r = ratings()
cut = 7500
model = MatrixFactorization(150, 200, **config["model"])
opt = build_optimizer(model, config["optimizer"])
for epoch in range(config["train"]["epochs"]):
    model.train()
    tot = 0.0
    for idx in torch.randperm(cut).split(config["train"]["batch_size"]):
        loss = nn.functional.mse_loss(model(u[idx], i[idx]), r[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item() * len(idx)
    model.eval()
    with torch.no_grad():
        v = nn.functional.mse_loss(model(u[cut:], i[cut:]), r[cut:]).item()
    print(f"epoch {epoch} train mse {tot / cut:.4f} test mse {v:.4f}")
