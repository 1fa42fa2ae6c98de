import argparse
import os
import tempfile
import time

import numpy as np
import torch
import torch.nn as nn


def wafers(n, seed, side=24):
    """Maps of defects on wafers: a ring, a scratch, a cluster or nothing in particular."""
    rng = np.random.default_rng(seed)
    yy, xx = np.mgrid[-1:1:side * 1j, -1:1:side * 1j]
    x = np.zeros((n, 1, side, side), dtype=np.float32)
    y = rng.integers(0, 4, n)
    for i in range(n):
        p = np.full((side, side), 0.08)
        if y[i] == 0:
            p += 0.5 * (np.abs(np.hypot(yy, xx) - rng.uniform(0.5, 0.9)) < 0.12)
        elif y[i] == 1:
            a = rng.uniform(0, np.pi)
            p += 0.5 * (np.abs(np.cos(a) * yy + np.sin(a) * xx - rng.uniform(-0.4, 0.4)) < 0.08)
        elif y[i] == 2:
            cy, cx = rng.uniform(-0.5, 0.5, 2)
            p += 0.5 * (np.hypot(yy - cy, xx - cx) < 0.3)
        x[i, 0] = rng.random((side, side)) < p
    return torch.from_numpy(x * 2 - 0.4), torch.from_numpy(y)


def make_model():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(32 * 36, 128), nn.ReLU(), nn.Linear(128, 4),
    )


def save_checkpoint(path, model, optimizer, epoch, step):
    torch.save({"epoch": epoch, "step": step, "model": model.state_dict(), "optimizer": optimizer.state_dict()}, path)


def evaluate(model, x, y):
    model.eval()
    with torch.no_grad():
        right = (model(x).argmax(1) == y).float().mean().item()
    model.train()
    return right


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=8)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--out", default=None)
    args = p.parse_args()

    torch.manual_seed(0)
    x, y = wafers(2560, seed=0)
    x_val, y_val = wafers(400, seed=1)
    model = make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    step = 0
    with tempfile.TemporaryDirectory() as scratch:
        out = args.out or scratch
        started = time.time()
        for epoch in range(args.epochs):
            for ids in torch.randperm(len(x)).split(args.batch_size):
                loss = nn.functional.cross_entropy(model(x[ids]), y[ids])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                step += 1
            save_checkpoint(os.path.join(out, f"epoch{epoch:03d}.pt"), model, optimizer, epoch, step)
            print(f"epoch {epoch}: loss {loss.item():.3f}, val acc {evaluate(model, x_val, y_val):.3f}")
        print(f"training took {time.time() - started:.1f} s")


if __name__ == "__main__":
    main()
