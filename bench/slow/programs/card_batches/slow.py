"""Fraud among card payments: a network on tabular features, watched by the area under the ROC curve."""
import time

import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from torch import nn

torch.manual_seed(21)
rng = np.random.default_rng(21)

N = 80_000
amount = rng.lognormal(3, 1.2, N)
hour = rng.integers(0, 24, N)
age_days = rng.exponential(400, N)
distance = rng.gamma(1.5, 20, N)
country = rng.integers(0, 30, N)
other = rng.standard_normal((N, 12))
risk = 0.9 * (np.log(amount) - 3) + 0.02 * (distance - 30) - 0.003 * age_days + 0.8 * ((hour < 5) | (hour > 22)) + 0.5 * (country > 24) + 0.4 * other[:, 0] * other[:, 1]
fraud = (risk + rng.logistic(0, 1, N) > 2.2).astype(np.float32)

features = np.column_stack([np.log(amount), np.sin(hour / 3.82), np.cos(hour / 3.82), np.log1p(age_days), distance / 30, other]).astype(np.float32)
features = (features - features.mean(0)) / features.std(0)
features, country, fraud = torch.from_numpy(features), torch.from_numpy(country), torch.from_numpy(fraud)


class FraudNet(nn.Module):
    def __init__(self, n_features, n_countries):
        super().__init__()
        self.country = nn.Embedding(n_countries, 8)
        self.layers = nn.Sequential(
            nn.Linear(n_features + 8, 256), nn.ReLU(), nn.Dropout(0.1),
            nn.Linear(256, 256), nn.ReLU(), nn.Dropout(0.1),
            nn.Linear(256, 1),
        )

    def forward(self, x, country):
        return self.layers(torch.cat([x, self.country(country)], dim=1)).squeeze(1)


model = FraudNet(features.shape[1], 30)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
criterion = nn.BCEWithLogitsLoss()

started = time.time()
scores = torch.empty(0)
targets = torch.empty(0)
step = 0
for _ in range(4):
    for rows in torch.randperm(N).split(512):
        y = fraud[rows]
        logits = model(features[rows], country[rows])
        loss = criterion(logits, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1

        scores = torch.cat([scores, logits.detach().sigmoid()])
        targets = torch.cat([targets, y])
        auc = roc_auc_score(targets.numpy(), scores.numpy())
        if step % 50 == 0:
            print(f"step {step:5d}  loss {loss.item():.4f}  auc {auc:.4f}")
print(f"{step} steps in {time.time() - started:.1f} s")
