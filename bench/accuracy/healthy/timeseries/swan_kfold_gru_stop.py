# fault: none
# family: timeseries
# split: held
# 4-fold cross-validation of a GRU regressor on simulated sensor traces, early stopping per fold
import copy
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))


def traces(n=480, T=15):
    tau = 1.5 + 6 * torch.rand(n, 1)
    gain = 0.5 + torch.rand(n, 1)
    t = torch.arange(T).float()
    clean = gain * (1 - torch.exp(-t / tau))
    x = torch.stack([clean + 0.03 * torch.randn(n, T), (t / T).expand(n, T)], -1)
    y = torch.log(tau).squeeze(1)
    return x, (y - y.mean()) / y.std()


class Regressor(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.rnn = nn.GRU(2, hidden, batch_first=True)
        self.head = nn.Sequential(nn.LayerNorm(hidden), nn.Linear(hidden, 1))

    def forward(self, x):
        return self.head(self.rnn(x)[0][:, -1]).squeeze(-1)


class Stopper:
    def __init__(self, patience):
        self.patience, self.best, self.bad, self.state = patience, float("inf"), 0, None

    def __call__(self, value, model):
        if value < self.best - 1e-4:
            self.best, self.bad, self.state = value, 0, copy.deepcopy(model.state_dict())
        else:
            self.bad += 1
        return self.bad >= self.patience


def train_fold(k, xtr, ytr, xva, yva, max_epochs=14):
    model = Regressor()
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.3, patience=2)
    stop = Stopper(patience=5)
    for epoch in range(max_epochs):
        model.train()
        losses = []
        for idx in torch.randperm(len(xtr)).split(30):
            loss = F.mse_loss(model(xtr[idx]), ytr[idx])
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            losses.append(loss.item())
        model.eval()
        with torch.no_grad():
            v = F.mse_loss(model(xva), yva).item()
        plateau.step(v)
        if epoch % 5 == 0:
            print(f"fold {k} epoch {epoch} train {sum(losses) / len(losses):.4f} val {v:.4f}")
        if stop(v, model):
            break
    model.load_state_dict(stop.state)
    print(f"fold {k} stopped at {epoch}, best {stop.best:.4f}")
    return stop.best


x, y = traces()
folds = torch.randperm(len(x)).chunk(4)
scores = []
for k, va in enumerate(folds):
    tr = torch.cat([f for j, f in enumerate(folds) if j != k])
    scores.append(train_fold(k, x[tr], y[tr], x[va], y[va]))
print("cv mse", sum(scores) / len(scores))
