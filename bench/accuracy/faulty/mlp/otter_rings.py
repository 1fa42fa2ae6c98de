# fault: no-nonlinearity
# cause_class: activation, structure
# family: mlp
# split: tune
import os
import torch
from torch import nn

torch.manual_seed(int(os.environ.get("SEED", 0)))
ACTS = {"relu": nn.ReLU, "gelu": nn.GELU, "leaky": nn.LeakyReLU, "none": nn.Identity}


def act(name, **kw):
    return ACTS[name](**kw)


def net(widths, activation="leaky", **kw):
    mods = []
    for a, b in zip(widths[:-2], widths[1:-1]):
        mods += [nn.Linear(a, b), act(activation, **kw), nn.LayerNorm(b) if kw.get("norm") else nn.Identity()]
    return nn.Sequential(*mods, nn.Linear(widths[-2], widths[-1]))


def rings(n):
    y = torch.randint(0, 3, (n,))
    r = 0.5 + 0.7 * y + 0.1 * torch.randn(n)
    a = 6.2832 * torch.rand(n)
    return torch.stack([r * a.cos(), r * a.sin()], 1), y


def batches(x, y, k):
    for i in torch.randperm(len(x)).split(k):
        yield x[i], y[i]


def main():
    x, y = rings(1200)
    vx, vy = rings(300)
    model = net([2, 64, 64, 32, 3], "leaky", negative_slope=1.0)
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(15):
        model.train()
        for xb, yb in batches(x, y, 40):
            loss = nn.functional.cross_entropy(model(xb), yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
        model.eval()
        with torch.no_grad():
            out = model(vx)
            vl = nn.functional.cross_entropy(out, vy)
        print(f"epoch {epoch:2d} val loss {vl:.4f} acc {(out.argmax(1) == vy).float().mean():.3f}")


if __name__ == "__main__":
    main()
