# fault: none
# family: tabular
# split: held
import os
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import KFold

seed = int(os.environ.get("SEED", "0"))
np.random.seed(seed)
torch.manual_seed(seed)
X, y = load_breast_cancer(return_X_y=True)


def make():
    net = nn.Sequential(nn.Linear(30, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 1))
    return net, torch.optim.Adam(net.parameters(), lr=3e-3, weight_decay=1e-4)


def run_fold(tr, va):
    mu, sd = X[tr].mean(0), X[tr].std(0)
    xt = torch.tensor((X[tr] - mu) / sd, dtype=torch.float32)
    xv = torch.tensor((X[va] - mu) / sd, dtype=torch.float32)
    yt, yv = (torch.tensor(y[i], dtype=torch.float32).unsqueeze(1) for i in (tr, va))
    net, opt = make()
    crit = nn.BCEWithLogitsLoss()
    best, best_state, patience = 1e9, None, 0
    for epoch in range(30):
        net.train()
        for idx in torch.randperm(len(xt)).split(32):
            opt.zero_grad()
            loss = crit(net(xt[idx]), yt[idx])
            loss.backward()
            opt.step()
        net.eval()
        with torch.no_grad():
            v = crit(net(xv), yv).item()
        if v < best - 1e-4:
            best, patience = v, 0
            best_state = {k: t.clone() for k, t in net.state_dict().items()}
        else:
            patience += 1
            if patience == 4:
                break
    net.load_state_dict(best_state)
    net.eval()
    with torch.no_grad():
        acc = ((net(xv) > 0).float() == yv).float().mean().item()
    print(f"stopped at epoch {epoch}, val loss {best:.4f}, acc {acc:.3f}")
    return acc


accs = [run_fold(tr, va) for tr, va in KFold(5, shuffle=True, random_state=seed).split(X)]
print("mean accuracy", np.mean(accs))
