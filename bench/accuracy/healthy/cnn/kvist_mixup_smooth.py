# fault: none
# family: cnn
# split: held
# needs: sklearn
import os

import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(int(os.environ.get("SEED", 0)))
digits = load_digits()
X = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1)
X = (X - X.mean()) / X.std()
Y = torch.tensor(digits.target)
order = torch.randperm(len(X))
train = DataLoader(TensorDataset(X[order[:1400]], Y[order[:1400]]), batch_size=50, shuffle=True)
vx, vy = X[order[1400:]], Y[order[1400:]]


def mixup(x, y, alpha=0.4):
    lam = torch.distributions.Beta(alpha, alpha).sample().item()
    j = torch.randperm(len(x))
    return lam * x + (1 - lam) * x[j], y, y[j], lam


net = nn.Sequential(
    nn.Conv2d(1, 24, 3, padding=1), nn.GroupNorm(4, 24), nn.SiLU(), nn.AvgPool2d(2),
    nn.Conv2d(24, 48, 3, padding=1), nn.GroupNorm(4, 48), nn.SiLU(), nn.AvgPool2d(2),
    nn.Flatten(), nn.Linear(192, 10))
ce = nn.CrossEntropyLoss(label_smoothing=0.1)
opt = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=0.02)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 6e-3, epochs=8, steps_per_epoch=len(train))
for epoch in range(8):
    net.train()
    tot = 0.0
    for x, y in train:
        mx, ya, yb, lam = mixup(x, y)
        out = net(mx)
        loss = lam * ce(out, ya) + (1 - lam) * ce(out, yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        tot += loss.item()
    net.eval()
    with torch.no_grad():
        print(f"epoch {epoch} mixed loss {tot / len(train):.4f} val acc {(net(vx).argmax(1) == vy).float().mean().item():.4f}")
