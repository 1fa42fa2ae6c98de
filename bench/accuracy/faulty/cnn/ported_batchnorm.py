# fault: running-statistics
# cause_class: eval-mode, structure
# family: cnn
# split: tune
# needs: sklearn
"""Digits with the small ConvNet of our old Keras code (constants taken over from there)."""
import os
import torch
from torch import nn
from sklearn.datasets import load_digits

torch.manual_seed(int(os.environ.get("SEED", 0)))
BN = {"momentum": 0.001, "eps": 1e-3}
TRAIN = {"lr": 3e-3, "batch_size": 50, "epochs": 6}

d = load_digits()
p = torch.randperm(len(d.data))
x = (torch.tensor(d.images, dtype=torch.float32)[p, None] - 4.9) / 6.0
y = torch.tensor(d.target)[p]
xtr, ytr, xva, yva = x[:1400], y[:1400], x[1400:], y[1400:]


def conv_bn(i, o):
    return [nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o, **BN), nn.ReLU()]


net = nn.Sequential(*conv_bn(1, 12), nn.MaxPool2d(2), *conv_bn(12, 24), nn.MaxPool2d(2), nn.Flatten(),
                    nn.Linear(96, 48), nn.BatchNorm1d(48, **BN), nn.ReLU(), nn.Linear(48, 10))
opt = torch.optim.Adam(net.parameters(), lr=TRAIN["lr"])
for epoch in range(TRAIN["epochs"]):
    net.train()
    losses = []
    for idx in torch.randperm(len(xtr)).split(TRAIN["batch_size"]):
        loss = nn.functional.cross_entropy(net(xtr[idx]), ytr[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    net.eval()
    with torch.no_grad():
        out = net(xva)
        print(f"epoch {epoch}: train {sum(losses) / len(losses):.4f} "
              f"val {nn.functional.cross_entropy(out, yva):.4f} acc {(out.argmax(1) == yva).float().mean():.4f}")
