# fault: softmax-twice
# cause_class: output-activation, loss, labels
# family: cnn
# split: held
# needs: sklearn, numpy
import os

import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import nn

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)
np.random.seed(SEED)

CONFIG = {
    "channels": [16, 32],
    "hidden_activation": "gelu",
    "final_activation": "prob",
    "optimizer": {"name": "SGD", "lr": 0.05, "momentum": 0.9},
    "loss": {"name": "CrossEntropyLoss", "label_smoothing": 0.05},
    "epochs": 6,
    "batch": 32,
}
ACTS = {"gelu": nn.GELU, "relu": nn.ReLU, "prob": lambda: nn.Softmax(dim=-1), "none": nn.Identity}


def build(cfg):
    layers, c = [], 1
    for ch in cfg["channels"]:
        layers += [nn.Conv2d(c, ch, 3, padding=1), nn.BatchNorm2d(ch), ACTS[cfg["hidden_activation"]](), nn.MaxPool2d(2)]
        c = ch
    layers += [nn.Flatten(), nn.Linear(c * 4, 10), ACTS[cfg["final_activation"]]()]
    return nn.Sequential(*layers)


d = load_digits()
X = torch.tensor(d.images, dtype=torch.float32).unsqueeze(1) / 16 - 0.3
Y = torch.tensor(d.target)
perm = torch.randperm(len(X))
X, Y = X[perm], Y[perm]
net = build(CONFIG)
o = CONFIG["optimizer"]
opt = getattr(torch.optim, o["name"])(net.parameters(), lr=o["lr"], momentum=o["momentum"])
l = dict(CONFIG["loss"])
crit = getattr(nn, l.pop("name"))(**l)

for ep in range(CONFIG["epochs"]):
    net.train()
    tot = 0.0
    batches = torch.randperm(1400).split(CONFIG["batch"])
    for b in batches:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = net(X[b])
        loss = crit(out.float(), Y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        tot += loss.item()
    net.eval()
    with torch.no_grad():
        acc = (net(X[1400:]).argmax(1) == Y[1400:]).float().mean().item()
    print(f"epoch {ep} loss {tot / len(batches):.3f} acc {acc:.3f}")
