# fault: none
# family: mlp
# split: held
"""Five-fold cross-validation with early stopping; a new model and optimiser for each fold."""
import copy
import os

import torch
from torch import nn

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)
X = torch.randn(1500, 12)
Y = (torch.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * X[:, 3]).unsqueeze(1)
Y = (Y - Y.mean()) / Y.std() + 0.2 * torch.randn(1500, 1)


def new_model():
    return nn.Sequential(nn.Linear(12, 48), nn.GELU(), nn.Dropout(0.1), nn.Linear(48, 48), nn.GELU(), nn.Linear(48, 1))


class EarlyStopping:
    def __init__(self, patience):
        self.patience, self.best, self.bad, self.state = patience, float("inf"), 0, None

    def __call__(self, value, model):
        if value < self.best - 1e-4:
            self.best, self.bad, self.state = value, 0, copy.deepcopy(model.state_dict())
        else:
            self.bad += 1
        return self.bad >= self.patience


mse = nn.MSELoss()
scores = []
for fold, val_idx in enumerate(torch.randperm(1500).chunk(5)):
    mask = torch.ones(1500, dtype=torch.bool)
    mask[val_idx] = False
    xt, yt, xv, yv = X[mask], Y[mask], X[val_idx], Y[val_idx]
    model = new_model()
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.05)
    stop = EarlyStopping(patience=3)
    for epoch in range(16):
        model.train()
        for b in torch.randperm(len(xt)).split(60):
            opt.zero_grad()
            loss = mse(model(xt[b]), yt[b])
            loss.backward()
            opt.step()
        model.eval()
        with torch.no_grad():
            v = mse(model(xv), yv).item()
        if stop(v, model):
            break
    model.load_state_dict(stop.state)
    scores.append(stop.best)
    print(f"fold {fold} stopped after epoch {epoch} train {loss.item():.4f} best val {stop.best:.4f}")
print("mean", round(sum(scores) / 5, 4))
