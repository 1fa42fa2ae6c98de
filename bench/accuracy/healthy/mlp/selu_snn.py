# fault: none
# family: mlp
# split: tune
# A self-normalising net: ten SELU layers, LeCun initialisation, alpha dropout, no norm layers.
import os

import torch
import torch.nn as nn

torch.manual_seed(int(os.environ.get("SEED", "0")))


def block(n_in, n_out):
    lin = nn.Linear(n_in, n_out)
    nn.init.kaiming_normal_(lin.weight, nonlinearity="linear")
    nn.init.zeros_(lin.bias)
    return [lin, nn.SELU(), nn.AlphaDropout(0.02)]


layers = block(10, 48)
for _ in range(9):
    layers += block(48, 48)
net = nn.Sequential(*layers, nn.Linear(48, 3))

angle = torch.rand(1200) * 6.28
cls = torch.randint(0, 3, (1200,))
radius = 0.5 + cls.float()
pts = torch.stack([radius * angle.cos(), radius * angle.sin()], 1)
X = torch.cat([pts, torch.randn(1200, 8) * 0.5], 1) + 0.05 * torch.randn(1200, 10)
X = (X - X.mean(0)) / X.std(0)

opt = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
ce = nn.CrossEntropyLoss()
hist = []
for epoch in range(10):
    net.train()
    for idx in torch.randperm(1200).split(60):
        opt.zero_grad()
        loss = ce(net(X[idx]), cls[idx])
        loss.backward()
        opt.step()
        hist.append(loss.item())
net.eval()
print("accuracy", (net(X).argmax(1) == cls).float().mean().item())
print(f"loss first {hist[0]:.4f} last {hist[-1]:.4f}")
