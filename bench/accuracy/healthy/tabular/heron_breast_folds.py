# fault: none
# family: tabular
# split: held
# needs: sklearn

# Kaggle style: five folds, a new model for each, out-of-fold predictions, early stopping by hand.
import os
import copy
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

SEED = int(os.environ.get("SEED", 0))

def seed_everything(s):
    np.random.seed(s)
    torch.manual_seed(s)

seed_everything(SEED)
X, y = load_breast_cancer(return_X_y=True)
oof = np.zeros(len(y))

for fold, (tr, va) in enumerate(StratifiedKFold(5, shuffle=True, random_state=SEED).split(X, y)):
    seed_everything(SEED + fold)
    sc = StandardScaler().fit(X[tr])
    xtr, xva = (torch.tensor(sc.transform(X[i]), dtype=torch.float32) for i in (tr, va))
    ytr, yva = (torch.tensor(y[i], dtype=torch.float32).unsqueeze(1) for i in (tr, va))
    model = nn.Sequential(nn.Linear(30, 32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, 1))
    opt = torch.optim.Adam(model.parameters(), lr=2e-3, weight_decay=1e-4)
    crit = nn.BCEWithLogitsLoss()
    best, best_state, patience = 1e9, None, 0
    for epoch in range(18):
        model.train()
        for idx in torch.randperm(len(xtr)).split(32):
            opt.zero_grad()
            loss = crit(model(xtr[idx]), ytr[idx])
            loss.backward()
            opt.step()
        model.eval()
        with torch.no_grad():
            val = crit(model(xva), yva).item()
        if val < best - 1e-4:
            best, best_state, patience = val, copy.deepcopy(model.state_dict()), 0
        else:
            patience += 1
            if patience == 4:
                break
    model.load_state_dict(best_state)
    with torch.no_grad():
        oof[va] = torch.sigmoid(model(xva)).squeeze(1).numpy()
    print(f"fold {fold} stopped after epoch {epoch} val {best:.4f} auc {roc_auc_score(y[va], oof[va]):.4f}")
print("OOF AUC", round(roc_auc_score(y, oof), 4))
