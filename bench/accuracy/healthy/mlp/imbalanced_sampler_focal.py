# fault: none
# family: mlp
# split: tune
# Focal loss written by hand on a rare-positive problem, with a weighted sampler.
import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

torch.manual_seed(int(os.environ.get("SEED", "0")))


def focal_loss(logits, targets, gamma=2.0, alpha=0.5):
    bce = F.binary_cross_entropy_with_logits(logits, targets, reduction="none")
    p_t = torch.exp(-bce)
    a = alpha * targets + (1 - alpha) * (1 - targets)
    return (a * (1 - p_t) ** gamma * bce).mean()


x = torch.randn(4000, 6)
score = x[:, 0] * x[:, 1] + x[:, 2]
y = (score > 1.6).float()
print("positive rate", y.mean().item())
weights = torch.where(y > 0, 3.0, 1.0)
sampler = WeightedRandomSampler(weights, num_samples=4000)
dl = DataLoader(TensorDataset(x, y), batch_size=80, sampler=sampler)

model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
nn.init.constant_(model[-1].bias, -2.0)  # the prior of a rare class, as RetinaNet does
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
rec = []
for ep in range(5):
    for xb, yb in dl:
        loss = focal_loss(model(xb).squeeze(-1), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        rec.append(loss.item())
print(f"loss first {sum(rec[:10]) / 10:.4f} last {sum(rec[-10:]) / 10:.4f}")
