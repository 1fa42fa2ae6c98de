# fault: none
# family: selfsupervised
# split: held
"""BYOL on accelerometer windows, then a linear probe."""
import copy
import os
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(int(os.environ.get("SEED", 0)))
FREQ = torch.tensor([2.0, 3.5, 5.0, 7.0])


def windows(n):
    y = torch.randint(0, 4, (n,))
    t = torch.linspace(0, 1, 32)
    x = torch.sin(6.283 * FREQ[y].unsqueeze(1) * t + torch.rand(n, 1) * 6.283)
    return x + 0.3 * torch.randn(n, 32), y


def augment(x):
    s = int(torch.randint(0, 32, (1,)))
    return torch.roll(x, s, 1) * (0.7 + 0.6 * torch.rand(len(x), 1)) + 0.2 * torch.randn_like(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv1d(1, 16, 9, padding=4), nn.BatchNorm1d(16), nn.ReLU(),
                                 nn.Conv1d(16, 16, 5, padding=2), nn.ReLU(), nn.AdaptiveMaxPool1d(1), nn.Flatten())
        self.proj = nn.Sequential(nn.Linear(16, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 16))

    def forward(self, x):
        return self.proj(self.enc(x.unsqueeze(1)))


online = Net()
target = copy.deepcopy(online).requires_grad_(False)
pred = nn.Sequential(nn.Linear(16, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 16))
opt = torch.optim.AdamW([*online.parameters(), *pred.parameters()], lr=2e-3)
for step in range(181):
    x, _ = windows(64)
    a, b = augment(x), augment(x)
    with torch.no_grad():
        ta, tb = target(a), target(b)
    loss = -(F.cosine_similarity(pred(online(a)), tb).mean() + F.cosine_similarity(pred(online(b)), ta).mean()) / 2
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for t, o in zip(target.parameters(), online.parameters()):
            t.lerp_(o, 0.02)
    if step % 60 == 0:
        print(f"step {step:4d} loss {loss.item():.4f}")

online.eval().requires_grad_(False)
x, y = windows(600)
xv, yv = windows(400)
with torch.no_grad():
    h, hv = online.enc(x.unsqueeze(1)), online.enc(xv.unsqueeze(1))
m, s = h.mean(0), h.std(0) + 1e-4
probe = nn.Linear(16, 4)
opt = torch.optim.Adam(probe.parameters(), lr=0.05)
for step in range(81):
    loss = F.cross_entropy(probe((h - m) / s), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 40 == 0:
        a = (probe((hv - m) / s).argmax(1) == yv).float().mean()
        print(f"probe {step:4d} loss {loss.item():.3f} acc {a:.3f}")
