# fault: none
# family: mlp
# split: held
# needs: sklearn, numpy
import os

import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)
X, y = load_breast_cancer(return_X_y=True)


def new_model():
    return nn.Sequential(nn.Linear(30, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 1))


scores = []
for fold, (a, b) in enumerate(StratifiedKFold(5, shuffle=True, random_state=SEED).split(X, y)):
    sc = StandardScaler().fit(X[a])
    xa, xb = (torch.tensor(sc.transform(X[i]), dtype=torch.float32) for i in (a, b))
    ya, yb = (torch.tensor(y[i], dtype=torch.float32).unsqueeze(1) for i in (a, b))
    model = new_model()
    opt = torch.optim.Adam(model.parameters(), lr=5e-3, weight_decay=1e-4)
    loss_fn = nn.BCEWithLogitsLoss()
    for epoch in range(10):
        model.train()
        tot = 0.0
        parts = torch.randperm(len(xa)).split(32)
        for i in parts:
            loss = loss_fn(model(xa[i]), ya[i])
            opt.zero_grad()
            loss.backward()
            opt.step()
            tot += loss.item()
    model.eval()
    with torch.no_grad():
        out = model(xb)
        scores.append(((out > 0).float() == yb).float().mean().item())
        print(f"fold {fold} last train loss {tot / len(parts):.4f} test loss {loss_fn(out, yb).item():.4f} acc {scores[-1]:.3f}")
print("mean", np.mean(scores))
