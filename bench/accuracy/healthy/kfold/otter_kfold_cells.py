# fault: none
# family: kfold
# split: held
# needs: sklearn
import copy
import os

import torch
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold
from torch import nn

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)
raw = load_breast_cancer()
X, Y = torch.tensor(raw.data, dtype=torch.float32), torch.tensor(raw.target, dtype=torch.float32)


def build():
    return nn.Sequential(nn.Linear(30, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 1), nn.Flatten(0))


def fit_fold(tr, va, patience=5, max_epochs=20):
    mean, std = X[tr].mean(0), X[tr].std(0)
    xt, xv = (X[tr] - mean) / std, (X[va] - mean) / std
    model, bce = build(), nn.BCEWithLogitsLoss()
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
    best, kept, bad, first = float("inf"), None, 0, None
    for epoch in range(max_epochs):
        model.train()
        for idx in torch.randperm(len(xt)).split(32):
            loss = bce(model(xt[idx]), Y[tr][idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
        model.eval()
        with torch.no_grad():
            vl = bce(model(xv), Y[va]).item()
        first = first if first is not None else vl
        if vl < best - 1e-4:
            best, kept, bad = vl, copy.deepcopy(model.state_dict()), 0
        else:
            bad += 1
        if bad == patience:
            break
    model.load_state_dict(kept)
    with torch.no_grad():
        acc = ((model(xv) > 0) == (Y[va] > 0.5)).float().mean().item()
    return first, best, acc, epoch + 1


scores = []
for k, (tr, va) in enumerate(StratifiedKFold(5, shuffle=True, random_state=SEED).split(X, Y)):
    first, best, acc, n = fit_fold(torch.from_numpy(tr), torch.from_numpy(va))
    scores.append(acc)
    print(f"fold {k} epochs {n} val loss {first:.3f} -> {best:.3f} acc {acc:.3f}")
print(f"mean {sum(scores) / len(scores):.3f}")
