# fault: no-nonlinearity
# cause_class: structure, activation
# family: mlp
# split: tune
# needs: sklearn
import os

import torch
from sklearn.datasets import make_circles
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))

SPEC = {"hidden": [64, 64, 32], "activation": "Relu", "norm": True}


def activation(name):
    return getattr(nn, name, nn.Identity)()


class FromSpec(nn.Module):
    def __init__(self, spec, n_in, n_out):
        super().__init__()
        self.layers = nn.ModuleList()
        self.norms = nn.ModuleList()
        for h in spec["hidden"]:
            self.layers.append(nn.Linear(n_in, h))
            self.norms.append(nn.BatchNorm1d(h) if spec["norm"] else nn.Identity())
            n_in = h
        self.act = activation(spec["activation"])
        self.out = nn.Linear(n_in, n_out)

    def forward(self, x):
        for lin, norm in zip(self.layers, self.norms):
            x = self.act(norm(lin(x)))
        return self.out(x)


x, y = make_circles(1600, noise=0.08, factor=0.45, random_state=0)
x, y = torch.tensor(x, dtype=torch.float32), torch.tensor(y)
net = FromSpec(SPEC, 2, 2)
opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
for epoch in range(8):
    net.train()
    total = 0.0
    for idx in torch.randperm(1280).split(32):
        loss = nn.functional.cross_entropy(net(x[idx]), y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() / 40
    net.eval()
    with torch.no_grad():
        acc = (net(x[1280:]).argmax(1) == y[1280:]).float().mean().item()
    print(f"epoch {epoch} loss {total:.4f} acc {acc:.3f}")
