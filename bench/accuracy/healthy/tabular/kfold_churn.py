# fault: none
# family: tabular
# split: held
"""Five-fold cross-validation, a new model and a new optimiser for every fold, early stopping with patience."""
import copy
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset

SEED = int(os.environ.get("SEED", "0"))
torch.manual_seed(SEED)


class ChurnModel(nn.Module):
    def __init__(self, n_num, card, dim=4):
        super().__init__()
        self.cat = nn.ModuleList(nn.Embedding(c, dim) for c in card)
        self.bn = nn.BatchNorm1d(n_num)
        self.mlp = nn.Sequential(nn.Linear(n_num + dim * len(card), 24), nn.ReLU(), nn.Dropout(0.2), nn.Linear(24, 1))

    def forward(self, num, cat):
        e = [emb(cat[:, k]) for k, emb in enumerate(self.cat)]
        return self.mlp(torch.cat([self.bn(num), *e], 1)).squeeze(1)


class EarlyStopping:
    def __init__(self, patience):
        self.patience, self.best, self.bad, self.state = patience, float("inf"), 0, None

    def update(self, value, model):
        if value < self.best - 1e-4:
            self.best, self.bad, self.state = value, 0, copy.deepcopy(model.state_dict())
        else:
            self.bad += 1
        return self.bad > self.patience


def make(n):
    num = torch.randn(n, 6) * torch.tensor([1, 3, 0.5, 10, 2, 1.0]) + torch.tensor([0, 5, 1, 40, 0, 0.0])
    cat = torch.stack([torch.randint(0, c, (n,)) for c in (4, 7)], 1)
    z = 1.2 * num[:, 0] - 0.5 * (num[:, 1] - 5) + 0.1 * (num[:, 3] - 40) + (cat[:, 0] == 2) * 1.5 - (cat[:, 1] > 4) * 1.0
    return TensorDataset(num, cat, torch.bernoulli(torch.sigmoid(1.5 * z)))


def evaluate(model, data):
    model.eval()
    with torch.no_grad():
        num, cat, y = (torch.stack(t) for t in zip(*data))
        out = model(num, cat)
        return nn.functional.binary_cross_entropy_with_logits(out, y).item(), ((out > 0) == (y > 0.5)).float().mean().item()


data = make(3000)
folds = torch.randperm(len(data)).chunk(5)
scores = []
for k, test in enumerate(folds):
    train = Subset(data, torch.cat([f for j, f in enumerate(folds) if j != k]).tolist())
    test = Subset(data, test.tolist())
    model = ChurnModel(6, (4, 7))
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=1e-2)
    stopper = EarlyStopping(patience=2)
    for epoch in range(8):
        model.train()
        for num, cat, y in DataLoader(train, 100, shuffle=True):
            loss = nn.functional.binary_cross_entropy_with_logits(model(num, cat), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        vloss, acc = evaluate(model, test)
        if stopper.update(vloss, model):
            break
    model.load_state_dict(stopper.state)
    scores.append(evaluate(model, test))
    print(f"fold {k} epochs {epoch + 1} logloss {scores[-1][0]:.4f} acc {scores[-1][1]:.3f}")
print("mean", [round(sum(s) / len(s), 4) for s in zip(*scores)])
