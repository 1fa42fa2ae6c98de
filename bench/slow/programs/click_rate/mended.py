"""Will the visitor click? Embeddings of user, page and advert, then a small network."""
import time

import numpy as np
import torch
import torch.nn as nn
from sklearn.metrics import average_precision_score, log_loss, roc_auc_score

USERS, PAGES, ADS = 2000, 300, 120
EPOCHS, BATCH = 3, 256


def visits(n, seed):
    rng = np.random.default_rng(seed)
    taste = np.random.default_rng(31)
    u, p, a = taste.normal(0, 1, (USERS, 4)), taste.normal(0, 1, (PAGES, 4)), taste.normal(0, 1, (ADS, 4))
    ids = np.stack([rng.integers(0, USERS, n), rng.integers(0, PAGES, n), rng.integers(0, ADS, n)], axis=1)
    score = 0.8 * (u[ids[:, 0]] * a[ids[:, 2]]).sum(1) + 0.5 * (p[ids[:, 1]] * a[ids[:, 2]]).sum(1) + a[ids[:, 2], 0] - 0.5
    clicked = rng.random(n) < 1 / (1 + np.exp(-score))
    return torch.from_numpy(ids), torch.from_numpy(clicked.astype(np.float32))


class ClickModel(nn.Module):
    def __init__(self, dim=24):
        super().__init__()
        self.user = nn.Embedding(USERS, dim)
        self.page = nn.Embedding(PAGES, dim)
        self.ad = nn.Embedding(ADS, dim)
        self.mlp = nn.Sequential(nn.Linear(5 * dim, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 1))
        for table in (self.user, self.page, self.ad):
            nn.init.normal_(table.weight, std=0.3)

    def forward(self, ids):
        u, p, a = self.user(ids[:, 0]), self.page(ids[:, 1]), self.ad(ids[:, 2])
        return self.mlp(torch.cat([u, p, a, u * a, p * a], dim=1)).squeeze(1)


def metrics(targets, scores):
    t, s = np.concatenate(targets), np.concatenate(scores)
    return {"auc": roc_auc_score(t, s), "ap": average_precision_score(t, s), "logloss": log_loss(t, s)}


def main():
    torch.manual_seed(0)
    ids, clicked = visits(64000, seed=0)
    model = ClickModel()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    criterion = nn.BCEWithLogitsLoss()
    start = time.time()
    for epoch in range(EPOCHS):
        targets, scores = [], []
        for rows in torch.randperm(len(ids)).split(BATCH):
            x, y = ids[rows], clicked[rows]
            logits = model(x)
            loss = criterion(logits, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            targets.append(y.numpy())
            scores.append(torch.sigmoid(logits).detach().numpy())
        now = metrics(targets, scores)
        print(f"epoch {epoch}: " + ", ".join(f"{k} {v:.4f}" for k, v in now.items()))
    print(f"trained in {time.time() - start:.1f} s")


if __name__ == "__main__":
    main()
