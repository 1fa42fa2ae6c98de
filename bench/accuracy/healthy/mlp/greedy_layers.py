# fault: none
# family: mlp
# split: tune
"""Greedy layer-wise pretraining as in the old days, then everything together."""
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
X = torch.randn(2000, 24)
X[:, 12:] = 0.7 * X[:, :12] + 0.7 * X[:, 12:]
Y = ((X[:, 0] * X[:, 1] > 0).long() + 2 * (X[:, 2] > 0).long())
layers = nn.ModuleList([nn.Linear(24, 48), nn.Linear(48, 32), nn.Linear(32, 16)])
h = X
for layer in layers:
    back = nn.Linear(layer.out_features, layer.in_features)
    opt = torch.optim.Adam(list(layer.parameters()) + list(back.parameters()), lr=2e-3)
    for _ in range(3):
        for i in torch.randperm(2000).split(100):
            loss = F.mse_loss(back(torch.tanh(layer(h[i]))), h[i])
            opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        h = torch.tanh(layer(h))
    print("layer", loss.item())


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers, self.out = layers, nn.Linear(16, 4)

    def forward(self, x):
        for l in self.layers:
            x = torch.tanh(l(x))
        return self.out(x)


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for e in range(12):
    for i in torch.randperm(2000).split(100):
        loss = F.cross_entropy(net(X[i]), Y[i])
        opt.zero_grad(); loss.backward(); opt.step()
print(loss.item())
