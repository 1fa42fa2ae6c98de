# fault: none
# family: crossval
# split: held
# needs: sklearn
import os

import numpy as np
import torch
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from torch import nn

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)
np.random.seed(SEED)
X, Y = load_breast_cancer(return_X_y=True)


def new_model():
    return nn.Sequential(nn.Linear(30, 24), nn.ReLU(), nn.Dropout(0.2), nn.Linear(24, 1))


def fit_fold(train, test, epochs=12):
    scaler = StandardScaler().fit(X[train])
    x, y = torch.tensor(scaler.transform(X[train]), dtype=torch.float32), torch.tensor(Y[train], dtype=torch.float32)
    xt, yt = torch.tensor(scaler.transform(X[test]), dtype=torch.float32), torch.tensor(Y[test], dtype=torch.float32)
    model, loss_fn = new_model(), nn.BCEWithLogitsLoss()
    opt = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=0.01)
    for _ in range(epochs):
        model.train()
        losses = []
        for b in torch.randperm(len(x)).split(32):
            loss = loss_fn(model(x[b]).squeeze(1), y[b])
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        out = model(xt).squeeze(1)
    return np.mean(losses), loss_fn(out, yt).item(), ((out > 0).float() == yt).float().mean().item()


scores = []
for k, (train, test) in enumerate(StratifiedKFold(5, shuffle=True, random_state=SEED).split(X, Y)):
    result = fit_fold(train, test)
    scores.append(result[2])
    print(f"fold {k}: train {result[0]:.4f} test {result[1]:.4f} accuracy {result[2]:.3f}")
print(f"accuracy {np.mean(scores):.3f} +- {np.std(scores):.3f}")
