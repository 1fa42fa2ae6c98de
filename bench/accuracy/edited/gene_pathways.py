# fault: none
# family: tabular
# split: held
# set: dingo, unseen
# Multi-label: which of 8 pathways are active in a sample, from expression of 80 genes.
import os

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

SEED = int(os.environ.get("SEED", 0))
np.random.seed(SEED)
torch.manual_seed(SEED)

N_TRAIN, N_VALID, N_GENES, N_PATHWAYS = 2400, 600, 80, 8
BATCH = 64
EPOCHS = 12
LR = 2e-3


def simulate_expression(n, loadings, base):
    """Counts-like expression: every active pathway raises its genes, two pathways interact, library size varies."""
    prevalence = np.array([0.45, 0.40, 0.35, 0.30, 0.25, 0.22, 0.18, 0.15])
    active = (np.random.rand(n, N_PATHWAYS) < prevalence).astype(np.float32)
    drive = active.copy()
    drive[:, 0] *= 1 - 0.6 * active[:, 1]
    log_mean = base + drive @ loadings + 0.5 * np.random.randn(n, N_GENES)
    library = np.exp(0.3 * np.random.randn(n, 1))
    counts = np.random.poisson(np.exp(log_mean) * library)
    return counts.astype(np.float32), active


loadings = np.abs(np.random.randn(N_PATHWAYS, N_GENES)) * (np.random.rand(N_PATHWAYS, N_GENES) < 0.15) * 0.8
base = np.random.uniform(1.0, 6.0, size=N_GENES)
x_train, y_train = simulate_expression(N_TRAIN, loadings, base)
x_valid, y_valid = simulate_expression(N_VALID, loadings, base)

x_train, x_valid = np.log1p(x_train), np.log1p(x_valid)
mean, std = x_train.mean(axis=0), x_train.std(axis=0)
x_train = (x_train - mean) / (std + 1e-6)
x_valid = (x_valid - mean) / (std + 1e-6)

train_set = TensorDataset(torch.tensor(x_train), torch.tensor(y_train))
valid_set = TensorDataset(torch.tensor(x_valid), torch.tensor(y_valid))
train_loader = DataLoader(train_set, batch_size=BATCH, shuffle=True, drop_last=True)
valid_loader = DataLoader(valid_set, batch_size=200)


class PathwayNet(nn.Module):
    def __init__(self, n_in, n_out, width=96, p=0.2):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(n_in, width),
            nn.BatchNorm1d(width),
            nn.ReLU(),
            nn.Dropout(p),
            nn.Linear(width, width),
            nn.BatchNorm1d(width),
            nn.ReLU(),
            nn.Dropout(p),
        )
        self.head = nn.Linear(width, n_out)

    def forward(self, x):
        return self.head(self.body(x))


model = PathwayNet(N_GENES, N_PATHWAYS)
pos_weight = torch.tensor((1 - y_train).sum(0) / y_train.sum(0)).sqrt()
loss_fn = nn.BCEWithLogitsLoss(pos_weight=pos_weight)
optimizer = torch.optim.Adam(model.parameters(), lr=LR)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=2)


def validate():
    model.eval()
    losses, preds, truth = [], [], []
    with torch.no_grad():
        for xb, yb in valid_loader:
            logits = model(xb)
            losses.append(loss_fn(logits, yb).item())
            preds.append(torch.sigmoid(logits) > 0.5)
            truth.append(yb > 0.5)
    preds, truth = torch.cat(preds), torch.cat(truth)
    tp = (preds & truth).sum(0).float()
    f1 = 2 * tp / (preds.sum(0) + truth.sum(0)).clamp(min=1)
    return np.mean(losses), f1.mean().item()


for epoch in range(1, EPOCHS + 1):
    model.train()
    train_loss = 0.0
    for xb, yb in train_loader:
        optimizer.zero_grad()
        logits = model(xb)
        loss = loss_fn(logits, yb)
        loss.backward()
        optimizer.step()
        train_loss += loss.item() / len(train_loader)
    valid_loss, macro_f1 = validate()
    scheduler.step(valid_loss)
    print(f"{epoch:02d} train {train_loss:.4f} valid {valid_loss:.4f} macro-F1 {macro_f1:.4f}")

print(f"METRIC macro_f1 {macro_f1:.4f}")
