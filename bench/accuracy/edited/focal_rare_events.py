# fault: none
# family: tabular
# split: held
# set: heron, unseen
# metric: average_precision higher
# baseline: 0.042
# reaches: 0.75
# Unusual: 4 % positives with hand-written focal loss; the loss is of order 0.01 from the start because of the prior bias of the head
import math
import os

import numpy as np
import torch
from sklearn.metrics import average_precision_score
from torch import nn

seed = int(os.environ.get("SEED", 0))
torch.manual_seed(seed)
rng = np.random.default_rng(seed)


def events(n):
    x = rng.normal(size=(n, 12)).astype("float32")
    score = x[:, 0] * x[:, 1] + np.abs(x[:, 2]) + 0.8 * x[:, 3] + 0.3 * rng.normal(size=n)
    return torch.from_numpy(x), torch.from_numpy((score > 3.35).astype("float32"))


x_train, y_train = events(12000)
x_test, y_test = events(8000)
prior = y_train.mean().item()
print(f"positives {prior:.4f}")


class FocalLoss(nn.Module):
    def __init__(self, gamma=2.0, alpha=0.75):
        super().__init__()
        self.gamma, self.alpha = gamma, alpha

    def forward(self, logit, y):
        ce = nn.functional.binary_cross_entropy_with_logits(logit, y, reduction="none")
        pt = torch.exp(-ce)
        weight = torch.where(y > 0, self.alpha, 1 - self.alpha)
        return (weight * (1 - pt) ** self.gamma * ce).mean()


net = nn.Sequential(nn.Linear(12, 64), nn.GELU(), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 1))
nn.init.normal_(net[-1].weight, std=1e-2)
nn.init.constant_(net[-1].bias, math.log(prior / (1 - prior)))
criterion = FocalLoss()
opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-2)
for epoch in range(12):
    total = 0.0
    for idx in torch.randperm(len(x_train)).split(256):
        loss = criterion(net(x_train[idx])[:, 0], y_train[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(idx)
    if epoch % 3 == 2:
        with torch.no_grad():
            ap = average_precision_score(y_test, net(x_test)[:, 0])
        print(f"epoch {epoch + 1} focal {total / len(x_train):.6f} ap {ap:.4f}")
print(f"result: average_precision {ap:.4f}")
