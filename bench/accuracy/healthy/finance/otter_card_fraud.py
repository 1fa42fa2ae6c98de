# fault: none
# family: finance
# split: held
import os
from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler


@dataclass
class FraudConfig:
    rate: float = 0.02
    features: int = 14
    hidden: int = 64
    lr: float = 2e-3
    batch: int = 128
    epochs: int = 8
    label_smoothing: float = 0.05


def payments(n, c):
    x = torch.randn(n, c.features)
    y = (torch.rand(n) < c.rate).float()
    k = int(y.sum())
    x[y > 0, :4] += 1.6
    x[y > 0, 4] *= 2.0
    x[y > 0, 5] = x[y > 0, 6] + 0.3 * torch.randn(k)
    return x, y


def average_precision(score, y):
    y = y[score.argsort(descending=True)]
    prec = y.cumsum(0) / torch.arange(1, len(y) + 1)
    return ((prec * y).sum() / y.sum()).item()


class SmoothBCE(nn.Module):
    def __init__(self, eps):
        super().__init__()
        self.eps = eps

    def forward(self, logit, y):
        return nn.functional.binary_cross_entropy_with_logits(logit, y * (1 - self.eps) + 0.5 * self.eps)


def main(c=FraudConfig()):
    torch.manual_seed(int(os.environ.get("SEED", 0)))
    x, y = payments(16000, c)
    vx, vy, x, y = x[12000:], y[12000:], x[:12000], y[:12000]
    weight = torch.where(y > 0, 0.5 / y.mean(), 0.5 / (1 - y.mean()))
    sampler = WeightedRandomSampler(weight, 8000, replacement=True)
    loader = DataLoader(TensorDataset(x, y), c.batch, sampler=sampler)
    model = nn.Sequential(nn.Linear(c.features, c.hidden), nn.ReLU(), nn.Dropout(0.3),
                          nn.Linear(c.hidden, c.hidden), nn.ReLU(), nn.Dropout(0.3), nn.Linear(c.hidden, 1))
    opt = torch.optim.AdamW(model.parameters(), lr=c.lr, weight_decay=0.05)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, c.lr, total_steps=c.epochs * len(loader))
    loss_fn = SmoothBCE(c.label_smoothing)
    for epoch in range(c.epochs):
        model.train()
        total = 0.0
        for xb, yb in loader:
            loss = loss_fn(model(xb)[:, 0], yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            total += loss.item()
        model.eval()
        with torch.no_grad():
            ap = average_precision(model(vx)[:, 0], vy)
        print(f"epoch {epoch} loss {total / len(loader):.4f} average precision {ap:.3f} (rate {vy.mean().item():.3f})")


main()
