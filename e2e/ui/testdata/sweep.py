"""A linear model, fitted by gradient descent: prints the least loss on data that it was not fitted to."""

import argparse
import random

import vigil

parser = argparse.ArgumentParser()
parser.add_argument("way", choices=["plain", "momentum"])
parser.add_argument("--lr", type=float)
parser.add_argument("--speed", type=float, default=0.0)
parser.add_argument("--seed", type=int, default=0)
args = parser.parse_args()
rng = random.Random(args.seed)
data = []
for _ in range(120):
    a, b = rng.gauss(0, 1), rng.gauss(0, 1)
    data.append((a, b, 3 * a - 2 * b + 1 + rng.gauss(0, 0.3)))
fitted, held_out = data[:80], data[80:]
w, speed = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]


def loss(samples):
    total = 0.0
    for a, b, y in samples:
        e = w[0] * a + w[1] * b + w[2] - y
        total += e * e
    return total / len(samples)


best = float("inf")
for epoch in range(300):
    slope = [0.0, 0.0, 0.0]
    for a, b, y in fitted:
        e = w[0] * a + w[1] * b + w[2] - y
        for i, x in enumerate((a, b, 1.0)):
            slope[i] += 2 * e * x / len(fitted)
    for i in range(3):
        speed[i] = args.speed * speed[i] + slope[i]
        w[i] -= args.lr * speed[i]
    now = loss(held_out)
    vigil.log({"loss": loss(fitted), "val_loss": now}, step=epoch)
    best = min(best, now)
print(repr(best))
