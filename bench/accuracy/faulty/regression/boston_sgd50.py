# fault: learning-rate-too-high
# cause_class: learning-rate
# family: regression
# split: tune
# twin: healthy/twins/boston_sgd50.py
import os
import argparse
import torch
from torch import nn

ap = argparse.ArgumentParser()
ap.add_argument("--lr", type=float, default=50.0)
ap.add_argument("--epochs", type=int, default=12)
args = ap.parse_args()
torch.manual_seed(int(os.environ.get("SEED", 0)))

X = torch.randn(600, 13)
coef = torch.randn(13)
y = X @ coef + 0.5 * (X[:, 0] * X[:, 1]) + 0.3 * torch.randn(600)
y = ((y - y.mean()) / y.std()).unsqueeze(1)

model = nn.Sequential(nn.Linear(13, 24), nn.Tanh(), nn.Linear(24, 1))
sgd = torch.optim.SGD(model.parameters(), lr=args.lr)
mse = nn.MSELoss()
for epoch in range(args.epochs):
    total = 0
    for i in torch.randperm(600).split(30):
        sgd.zero_grad()
        l = mse(model(X[i]), y[i])
        l.backward()
        sgd.step()
        total += l.item()
    print(f"epoch {epoch:2d} loss {total / 20:.4g}")
