# fault: none
# family: online
# split: held
import math
import os

import torch

SEED = int(os.environ.get("SEED", 0))
torch.manual_seed(SEED)


class Fourier:
    """Fixed random cosine features of a camera's twelve measurements."""

    def __init__(self, d, n, scale=0.35):
        self.w, self.b = scale * torch.randn(d, n), 2 * math.pi * torch.rand(n)

    def __call__(self, x):
        return math.sqrt(2 / len(self.b)) * torch.cos(x @ self.w + self.b)


def parcel():
    """One item of the belt: letter (-1) or flat box (+1); the rule is a ball with a clear gap."""
    while True:
        x = torch.randn(12)
        s = x[:3].pow(2).sum() - 2.4
        if s.abs() > 0.8:
            return x, s.sign()


phi = Fourier(12, 300)
w = torch.zeros(300, requires_grad=True)
b = torch.zeros((), requires_grad=True)
test = [parcel() for _ in range(300)]
tx, ty = phi(torch.stack([t[0] for t in test])), torch.stack([t[1] for t in test])

zero = wrong = 0
for n in range(1, 2001):
    x, y = parcel()
    margin = y * (phi(x) @ w + b)
    wrong += int(margin.item() <= 0)
    loss = torch.relu(1 - margin)
    loss.backward()
    with torch.no_grad():
        rate = 1.5 / (1 + n / 1500)
        w -= rate * w.grad
        b -= 0.1 * rate * b.grad
        w.grad.zero_()
        b.grad.zero_()
    zero += int(loss.item() == 0)
    if n % 200 == 0:
        with torch.no_grad():
            m = ty * (tx @ w + b)
        print(f"{n:4d} wrong in the last 200 {wrong / 200:.3f} without loss {zero / 200:.2f} "
              f"test hinge {torch.relu(1 - m).mean().item():.4f} acc {(m > 0).float().mean().item():.3f}")
        zero = wrong = 0
