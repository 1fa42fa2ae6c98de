# fault: model-replaced
# cause_class: not-updated, optimizer
# family: tabular
# split: held
import os
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset

seed = int(os.environ.get("SEED", "0"))
np.random.seed(seed)
torch.manual_seed(seed)

X, y = load_wine(return_X_y=True)


def build_model():
    return nn.Sequential(nn.Linear(13, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 3))


model = build_model()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
criterion = nn.CrossEntropyLoss()

scores = []
for fold, (tr, va) in enumerate(StratifiedKFold(4, shuffle=True, random_state=seed).split(X, y)):
    print(f"--- fold {fold}")
    scaler = StandardScaler().fit(X[tr])
    xt, yt = torch.tensor(scaler.transform(X[tr])).float(), torch.tensor(y[tr])
    xv, yv = torch.tensor(scaler.transform(X[va])).float(), torch.tensor(y[va])
    loader = DataLoader(TensorDataset(xt, yt), batch_size=16, shuffle=True)
    # fresh weights for every fold
    model = build_model()
    for epoch in range(25):
        model.train()
        losses = []
        for xb, yb in loader:
            optimizer.zero_grad()
            loss = criterion(model(xb), yb)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        if epoch % 8 == 0:
            print(f"epoch {epoch} loss {np.mean(losses):.4f}")
    model.eval()
    with torch.no_grad():
        scores.append((model(xv).argmax(1) == yv).float().mean().item())
print("accuracy of folds", np.round(scores, 3), "mean", round(float(np.mean(scores)), 3))
