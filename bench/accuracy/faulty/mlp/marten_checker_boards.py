# fault: no-nonlinearity
# cause_class: structure, activation
# family: mlp
# split: held
import os
import random

import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
torch.manual_seed(SEED)

HPARAMS = {"hidden": (64, 64, 32), "activation": "ReLU", "norm": True, "lr": 3e-3, "batch": 64, "epochs": 10}


def get_activation(name):
    return {"relu": nn.ReLU(), "gelu": nn.GELU(), "tanh": nn.Tanh()}.get(name, nn.Identity())


class Classifier(nn.Module):
    def __init__(self, n_in, n_out, hp):
        super().__init__()
        self.stages = nn.ModuleList()
        for width in hp["hidden"]:
            stage = [nn.Linear(n_in, width)]
            stage.append(get_activation(hp["activation"]))
            if hp["norm"]:
                stage.append(nn.BatchNorm1d(width))
            self.stages.append(nn.Sequential(*stage))
            n_in = width
        self.out = nn.Linear(n_in, n_out)

    def forward(self, x):
        for s in self.stages:
            x = s(x)
        return self.out(x)


def boards(n, cells=3):
    p = torch.rand(n, 2) * cells
    y = p.floor().long().sum(1) % 2
    return (p - cells / 2) / (cells / 12 ** 0.5), y


x, y = boards(3000)
xv, yv = boards(600)
model = Classifier(2, 2, HPARAMS)
optimizer = torch.optim.Adam(model.parameters(), lr=HPARAMS["lr"])

for epoch in range(HPARAMS["epochs"]):
    model.train()
    losses = []
    for b in torch.randperm(len(x)).split(HPARAMS["batch"]):
        if len(b) < 2:
            continue
        loss = F.cross_entropy(model(x[b]), y[b])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    with torch.inference_mode():
        out = model(xv)
    print(f"[{epoch:02d}] train={sum(losses) / len(losses):.4f} valid={F.cross_entropy(out, yv):.4f} acc={(out.argmax(1) == yv).float().mean():.3f}")
