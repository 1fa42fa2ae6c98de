# fault: none
# family: kfold
# split: tune
# needs: sklearn
import os

import numpy as np
import torch
from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedKFold
from torch import nn

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)
d = load_wine()
X, Y = d.data.astype(np.float32), d.target


def fresh():
    return nn.Sequential(nn.Linear(13, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 3))


def fit(tr, va):
    mean, std = X[tr].mean(0), X[tr].std(0)
    xt, xv = torch.from_numpy((X[tr] - mean) / std), torch.from_numpy((X[va] - mean) / std)
    yt, yv = torch.from_numpy(Y[tr]), torch.from_numpy(Y[va])
    model = fresh()
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(20):
        model.train()
        for idx in torch.randperm(len(xt)).split(16):
            loss = nn.functional.cross_entropy(model(xt[idx]), yt[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
    model.eval()
    with torch.no_grad():
        out = model(xv)
        return loss.item(), nn.functional.cross_entropy(out, yv).item(), (out.argmax(1) == yv).float().mean().item()


scores = []
for k, (tr, va) in enumerate(StratifiedKFold(5, shuffle=True, random_state=SEED).split(X, Y)):
    last, val, acc = fit(tr, va)
    scores.append(acc)
    print(f"fold {k} train {last:.4f} valid {val:.4f} acc {acc:.3f}")
print("mean", np.mean(scores))
