# fault: none
# family: linear
# split: held
# set: badger, unseen
# metric: accuracy higher
# baseline: 0.2
# reaches: 0.85
# Unusual: the weights learn at a rate of 3e5, and it is right: the features are absorbances of about 1e-3, so the curvature is about 1e-6; 45 whole-batch steps, no momentum, ends while still improving.
import os

import torch

torch.set_num_threads(1)
torch.manual_seed(int(os.environ.get("SEED", 0)))

OILS, BANDS = 5, 30
base = torch.rand(BANDS)
signature = 0.35 * torch.randn(OILS, BANDS)


def measure(n):
    y = torch.randint(OILS, (n,))
    x = base + signature[y] + 0.6 * torch.randn(n, BANDS)
    return 1e-3 * x, y


x, y = measure(300)
xv, yv = measure(1000)
centre = x.mean(0)
w = torch.zeros(BANDS, OILS, requires_grad=True)
b = torch.zeros(OILS, requires_grad=True)
opt = torch.optim.SGD([{"params": [w], "lr": 3.0e5}, {"params": [b], "lr": 0.3}], lr=0.3)
print("largest eigenvalue of the feature covariance:", torch.linalg.eigvalsh(torch.cov(x.T)).max().item())

for step in range(45):
    logits = (x - centre) @ w + b
    loss = torch.nn.functional.cross_entropy(logits, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 5 == 4:
        with torch.no_grad():
            v = ((xv - centre) @ w + b).argmax(1)
        print(f"step {step + 1} loss {loss.item():.4f} |w| {w.norm().item():.0f} acc {(v == yv).float().mean().item():.3f}")

print("majority:", round((yv == y.bincount().argmax()).float().mean().item(), 3))
print(f"result: accuracy {(v == yv).float().mean().item():.4f}")
