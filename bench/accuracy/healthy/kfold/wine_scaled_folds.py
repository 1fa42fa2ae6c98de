# fault: none
# family: kfold
# split: tune
# needs: numpy, sklearn
"""Five folds of the wine data: a new scaler, network and optimizer in each."""
import os
import numpy as np
import torch
from torch import nn
from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)
np.random.seed(seed)


def make():
    net = nn.Sequential(nn.Linear(13, 16), nn.ReLU(), nn.Linear(16, 3))
    return net, torch.optim.Adam(net.parameters(), lr=5e-3, weight_decay=1e-3)


X, y = load_wine(return_X_y=True)
accs = []
for fold, (tr, te) in enumerate(StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y)):
    sc = StandardScaler().fit(X[tr])
    xt, xe = (torch.tensor(sc.transform(X[i]), dtype=torch.float32) for i in (tr, te))
    yt, ye = torch.tensor(y[tr]), torch.tensor(y[te])
    net, opt = make()
    for epoch in range(25):
        net.train()
        for idx in torch.randperm(len(xt)).split(16):
            opt.zero_grad()
            loss = nn.functional.cross_entropy(net(xt[idx]), yt[idx])
            loss.backward()
            opt.step()
    net.eval()
    with torch.no_grad():
        out = net(xe)
        accs.append((out.argmax(1) == ye).float().mean().item())
    print(f"fold {fold}: last loss {loss.item():.4f} test loss {nn.functional.cross_entropy(out, ye):.4f} acc {accs[-1]:.3f}")
print("mean", round(float(np.mean(accs)), 4))
