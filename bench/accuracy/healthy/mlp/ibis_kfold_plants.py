# fault: none
# family: mlp
# split: held
import os

import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

SEED = int(os.environ.get("SEED", 0))
np.random.seed(SEED)
torch.manual_seed(SEED)

X, y = load_wine(return_X_y=True)
scores = []
for fold, (tr, te) in enumerate(StratifiedKFold(5, shuffle=True, random_state=SEED).split(X, y)):
    sc = StandardScaler().fit(X[tr])
    Xtr, Xte = (torch.tensor(sc.transform(X[i]), dtype=torch.float32) for i in (tr, te))
    ytr, yte = torch.tensor(y[tr]), torch.tensor(y[te])
    model = nn.Sequential(nn.Linear(13, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 3))
    opt = torch.optim.Adam(model.parameters(), lr=1e-2, weight_decay=1e-3)
    for epoch in range(12):
        model.train()
        tot = 0.0
        for idx in torch.randperm(len(Xtr)).split(16):
            opt.zero_grad()
            loss = nn.functional.cross_entropy(model(Xtr[idx]), ytr[idx])
            loss.backward()
            opt.step()
            tot += loss.item() * len(idx)
    model.eval()
    with torch.no_grad():
        out = model(Xte)
    scores.append((out.argmax(1) == yte).float().mean().item())
    print(f"fold {fold}: train {tot / len(Xtr):.4f} val {nn.functional.cross_entropy(out, yte).item():.4f} acc {scores[-1]:.3f}")
print("mean accuracy", np.mean(scores))
