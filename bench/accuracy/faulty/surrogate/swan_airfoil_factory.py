# fault: no-nonlinearity
# cause_class: activation, structure
# family: surrogate
# split: held
# surrogate model of a lift/drag table, architecture described by a dictionary
import os

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(int(os.environ.get("SEED", "0")))

CONFIG = {
    "model": {"hidden": [96, 96, 96], "activation": "LeakyReLU", "norm": False},
    "optim": {"name": "AdamW", "lr": 2e-3, "weight_decay": 1e-4},
    "train": {"epochs": 25, "batch": 64},
}

ACTIVATIONS = {"relu": nn.ReLU, "leaky_relu": nn.LeakyReLU, "gelu": nn.GELU, "silu": nn.SiLU, "tanh": nn.Tanh}


def activation(name):
    return ACTIVATIONS.get(name.lower(), nn.Identity)()


def build_mlp(i, o, cfg):
    layers = []
    for w in cfg["hidden"]:
        layers.append(nn.Linear(i, w))
        if cfg["norm"]:
            layers.append(nn.BatchNorm1d(w))
        layers.append(activation(cfg["activation"]))
        i = w
    return nn.Sequential(*layers, nn.Linear(i, o))


def simulate(n):
    alpha = torch.rand(n) * 30 - 10          # degrees
    mach = torch.rand(n) * 0.7 + 0.1
    camber = torch.rand(n) * 0.06
    a = torch.deg2rad(alpha)
    beta = (1 - mach ** 2).rsqrt()
    stall = torch.sigmoid((alpha - 12) * 0.8)
    cl = (6.28 * a * beta + 12 * camber) * (1 - stall) + 0.9 * stall * torch.sin(2 * a)
    cd = 0.008 + 0.05 * cl ** 2 + 0.4 * stall * torch.sin(a).abs() + 0.1 * F.relu(mach - 0.6)
    x = torch.stack([alpha, mach, camber], 1)
    y = torch.stack([cl, cd], 1)
    return (x - x.mean(0)) / x.std(0), (y - y.mean(0)) / y.std(0)


class Engine:
    def __init__(self, cfg):
        self.cfg = cfg
        ds = TensorDataset(*simulate(2400))
        tr, va = random_split(ds, [2000, 400])
        self.tr = DataLoader(tr, cfg["train"]["batch"], shuffle=True)
        self.va = DataLoader(va, 400)
        self.net = build_mlp(3, 2, cfg["model"])
        o = dict(cfg["optim"])
        self.opt = getattr(torch.optim, o.pop("name"))(self.net.parameters(), **o)
        self.sched = torch.optim.lr_scheduler.OneCycleLR(self.opt, 4e-3, total_steps=len(self.tr) * cfg["train"]["epochs"])

    def fit(self):
        for ep in range(self.cfg["train"]["epochs"]):
            self.net.train()
            tot = 0.0
            for x, y in self.tr:
                loss = F.huber_loss(self.net(x), y)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                self.sched.step()
                tot += loss.item() / len(self.tr)
            self.net.eval()
            with torch.no_grad():
                x, y = next(iter(self.va))
                r2 = 1 - (self.net(x) - y).pow(2).mean(0) / y.var(0)
            if ep % 3 == 0:
                print(f"epoch {ep} huber {tot:.4f} r2 lift {r2[0]:.3f} drag {r2[1]:.3f}")


Engine(CONFIG).fit()
