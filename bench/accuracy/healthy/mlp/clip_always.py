# fault: none
# family: mlp
# split: tune
# The gradient norm is above 1.0 at every step, so clipping is always active; the loss is a sum.
import argparse
import os

import torch
import torch.nn as nn


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--lr", type=float, default=0.02)
    p.add_argument("--steps", type=int, default=250)
    p.add_argument("--clip", type=float, default=1.0)
    p.add_argument("--seed", type=int, default=int(os.environ.get("SEED", "0")))
    return p.parse_args()


def main():
    args = parse()
    torch.manual_seed(args.seed)
    g = torch.Generator().manual_seed(args.seed + 1)
    teacher = nn.Sequential(nn.Linear(20, 10), nn.Tanh(), nn.Linear(10, 4))
    x = torch.randn(1500, 20, generator=g)
    with torch.no_grad():
        y = teacher(x).mul(4).argmax(1)

    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 4))
    crit = nn.CrossEntropyLoss(reduction="sum")
    opt = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    clipped = 0
    for step in range(args.steps):
        idx = torch.randint(0, len(x), (128,), generator=g)
        loss = crit(model(x[idx]), y[idx])
        opt.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        clipped += int(norm > args.clip)
        opt.step()
        if step == 0:
            first = loss.item()
    print(f"clipped {clipped} of {args.steps}")
    print(f"loss first {first:.3f} last {loss.item():.3f}")


if __name__ == "__main__":
    main()
