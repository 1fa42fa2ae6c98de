# fault: none
# family: cnn
# split: tune
# A net is trained, frozen, and then a picture is optimised for it: the optimiser has the input, not the weights.
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", "0")))

motif = torch.randn(4, 1, 10, 10)


def batch(n):
    y = torch.randint(0, 4, (n,))
    return motif[y] + 0.8 * torch.randn(n, 1, 10, 10), y


net = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(128, 4))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for step in range(120):
    x, y = batch(32)
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step == 0:
        first = loss.item()
print(f"classifier first {first:.4f} last {loss.item():.4f}")

net.eval().requires_grad_(False)
picture = (0.1 * torch.randn(1, 1, 10, 10)).requires_grad_(True)
opt = torch.optim.Adam([picture], lr=0.05)
scores = []
for step in range(80):
    loss = -net(picture)[0, 2] + 0.05 * picture.pow(2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    scores.append(loss.item())
print(f"loss first {scores[0]:.4f} last {scores[-1]:.4f}")
