# fault: none
# family: tabular
# split: held
# set: puma, unseen
"""Motor insurance: which policies lapse at renewal?  (about 9 % do)

numeric features from the policy admin system + three categorical codes,
small MLP with embeddings, evaluated with F1 at the 0.5 threshold because this
is what the retention team acts on.
"""
import math
import os
import random
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn


@dataclass
class Config:
    seed: int = int(os.environ.get("SEED", 0))
    n_policies: int = 7000
    batch_size: int = 128
    epochs: int = 6
    lr: float = 3e-3
    weight_decay: float = 1e-4
    hidden: int = 64
    dropout: float = 0.1
    pos_weight: float = 6.0
    max_norm: float = 5.0


def make_policies(cfg):
    g = np.random.default_rng(cfg.seed)
    n = cfg.n_policies
    age = g.uniform(18, 85, n)
    premium = np.exp(g.normal(6.2, 0.5, n))              # EUR per year
    increase = g.normal(0.04, 0.08, n)                   # relative change offered
    tenure = g.gamma(2.0, 3.0, n)                        # years with us
    mileage = g.gamma(3.0, 5000.0, n)
    claims = g.poisson(0.3, n).astype(float)
    region = g.integers(0, 20, n)
    channel = g.integers(0, 6, n)
    brand = g.integers(0, 30, n)
    r_eff, c_eff, b_eff = g.normal(0, 0.9, 20), g.normal(0, 1.2, 6), g.normal(0, 0.6, 30)
    z = (22 * (increase - 0.04) - 0.25 * (tenure - 6) + 1.5 * (np.abs(age - 45) < 12)
         + 1.2 * (np.log(premium) - 6.2) * (channel < 3) + 0.8 * (claims > 0) * np.sign(increase)
         - 0.00004 * (mileage - 15000) + r_eff[region] + c_eff[channel] + b_eff[brand])
    z = 1.8 * (z - z.mean())
    cut = np.quantile(z, 0.91)
    y = (z + g.logistic(0, 0.5, n) > cut).astype(np.float32)
    num = np.stack([age, premium, increase, tenure, mileage, claims], 1)
    cat = np.stack([region, channel, brand], 1)
    return num, cat, y


class LapseNet(nn.Module):
    def __init__(self, n_num, cards, cfg):
        super().__init__()
        self.embs = nn.ModuleList([nn.Embedding(c, 6) for c in cards])
        d = n_num + 6 * len(cards)
        self.body = nn.Sequential(
            nn.Linear(d, cfg.hidden), nn.BatchNorm1d(cfg.hidden), nn.ReLU(), nn.Dropout(cfg.dropout),
            nn.Linear(cfg.hidden, cfg.hidden), nn.BatchNorm1d(cfg.hidden), nn.ReLU(), nn.Dropout(cfg.dropout),
        )
        self.out = nn.Linear(cfg.hidden, 1)

    def forward(self, num, cat):
        e = [emb(cat[:, i]) for i, emb in enumerate(self.embs)]
        h = self.body(torch.cat([num] + e, dim=1))
        return self.out(h).squeeze(1)


class WeightedBCE(nn.Module):
    """BCE with logits; lapsed policies count more."""

    def __init__(self, pos_weight):
        super().__init__()
        self.pos_weight = pos_weight

    def forward(self, logits, y):
        pos = self.pos_weight * y * torch.nn.functional.softplus(-logits)
        neg = (1 - y) * torch.nn.functional.softplus(logits)
        return (pos + neg).mean()


class TableLoader:
    """Batches straight from tensors; much faster than collating row by row."""

    def __init__(self, *tensors, batch_size, shuffle=False, drop_last=False):
        self.tensors, self.batch_size = tensors, batch_size
        self.shuffle, self.drop_last = shuffle, drop_last

    def __len__(self):
        n = len(self.tensors[0])
        return n // self.batch_size if self.drop_last else math.ceil(n / self.batch_size)

    def __iter__(self):
        n = len(self.tensors[0])
        order = torch.randperm(n) if self.shuffle else torch.arange(n)
        for k in range(len(self)):
            idx = order[k * self.batch_size:(k + 1) * self.batch_size]
            yield [t[idx] for t in self.tensors]


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    tp = fp = fn = 0
    for num, cat, y in loader:
        p = torch.sigmoid(model(num, cat))
        hit = (p > 0.5).float()
        tp += (hit * y).sum().item()
        fp += (hit * (1 - y)).sum().item()
        fn += ((1 - hit) * y).sum().item()
    return 2 * tp / max(2 * tp + fp + fn, 1)


def main():
    cfg = Config()
    random.seed(cfg.seed)
    np.random.seed(cfg.seed)
    torch.manual_seed(cfg.seed)

    num, cat, y = make_policies(cfg)
    num[:, 1] = np.log(num[:, 1])
    n_train = int(0.7 * len(y))
    mean, std = num[:n_train].mean(0), num[:n_train].std(0)
    num = (num - mean) / std

    X = torch.tensor(num, dtype=torch.float32)
    C = torch.tensor(cat, dtype=torch.long)
    Y = torch.tensor(y)
    train_dl = TableLoader(X[:n_train], C[:n_train], Y[:n_train],
                           batch_size=cfg.batch_size, shuffle=True, drop_last=True)
    valid_dl = TableLoader(X[n_train:], C[n_train:], Y[n_train:], batch_size=1024)

    model = LapseNet(X.shape[1], [20, 6, 30], cfg)
    criterion = WeightedBCE(cfg.pos_weight)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=cfg.weight_decay)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=cfg.lr * 3,
                                                    total_steps=cfg.epochs * len(train_dl))

    for epoch in range(cfg.epochs):
        model.train()
        running = 0.0
        for num_b, cat_b, y_b in train_dl:
            optimizer.zero_grad()
            logits = model(num_b, cat_b)
            loss = criterion(logits, y_b)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), cfg.max_norm)
            optimizer.step()
            scheduler.step()
            running += loss.item()
        f1 = evaluate(model, valid_dl)
        print(f"epoch {epoch + 1}: loss {running / len(train_dl):.4f}  valid F1 {f1:.3f}")

    print(f"METRIC f1 {evaluate(model, valid_dl):.4f}")


if __name__ == "__main__":
    main()
