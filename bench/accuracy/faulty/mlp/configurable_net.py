# fault: no-nonlinearity
# cause_class: structure, activation
# family: mlp
# split: tune
"""A network from a settings dictionary, on two interleaved spirals."""
import os
import torch
from torch import nn

CONFIG = {
    "seed": int(os.environ.get("SEED", 0)),
    "model": {"layers": [2, 64, 64, 64, 2], "activation": "ReLU"},
    "optim": {"name": "AdamW", "lr": 2e-3, "weight_decay": 1e-3},
    "epochs": 30,
    "batch_size": 50,
}
ACTIVATIONS = {"relu": nn.ReLU, "tanh": nn.Tanh, "gelu": nn.GELU, "none": nn.Identity}


def build_model(layers, activation):
    act = ACTIVATIONS.get(activation, nn.Identity)
    net = []
    for i, o in zip(layers[:-2], layers[1:-1]):
        net += [nn.Linear(i, o), act()]
    net.append(nn.Linear(layers[-2], layers[-1]))
    return nn.Sequential(*net)


def spirals(n):
    y = torch.arange(n) % 2
    t = torch.rand(n).sqrt() * 7
    a = t + y * 3.1416
    xy = torch.stack([t * a.cos(), t * a.sin()], 1) + 0.15 * torch.randn(n, 2)
    return xy / 4, y


def main(cfg):
    torch.manual_seed(cfg["seed"])
    x, y = spirals(1200)
    perm = torch.randperm(1200)
    tr, te = perm[:1000], perm[1000:]
    model = build_model(**cfg["model"])
    opts = dict(cfg["optim"])
    opt = getattr(torch.optim, opts.pop("name"))(model.parameters(), **opts)
    for epoch in range(cfg["epochs"]):
        model.train()
        total = 0.0
        for idx in tr[torch.randperm(1000)].split(cfg["batch_size"]):
            opt.zero_grad()
            loss = nn.functional.cross_entropy(model(x[idx]), y[idx])
            loss.backward()
            opt.step()
            total += loss.item()
        if epoch % 5 == 4:
            model.eval()
            with torch.no_grad():
                acc = (model(x[te]).argmax(1) == y[te]).float().mean()
            print(f"epoch {epoch + 1}: loss {total / 20:.4f}, accuracy {acc:.3f}")


main(CONFIG)
